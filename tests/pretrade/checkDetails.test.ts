import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine } from '../../engine/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { addressIn, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

let fixture: TestTokensOnBase;

beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

const addressOf = (symbol: string) => addressIn(fixture, symbol);

test('behavior: trades have the requested size, whatever size was requested before', async () => {
  const { checker } = checkerOn(fixture.base);
  const token = addressOf('MAXSALE');
  const outcomes: string[] = [];
  for (const sizeUsd of ['1', '1000', '1', '1000']) {
    const { risk_profile } = await checker.check({ chain: 'base', token, sizeUsd });
    outcomes.push(risk_profile.transferability.outcome);
  }
  expect(outcomes).toEqual(['tradable', 'size-limited', 'tradable', 'size-limited']);
});

test('a refused sale of the whole purchase returns 0 percent of its price', async () => {
  const { risk_profile } = await checkerOn(fixture.base).checker.check({ chain: 'base', token: addressOf('TAX100') });
  expect(risk_profile.transferability).toMatchObject({ outcome: 'sale-blocked', roundTripPct: 0 });
});

test('behavior: wrapped ether has no tax in a pool of native ether', async () => {
  const { checker } = checkerOn(fixture.base);
  const { risk_profile, flags } = await checker.check({ chain: 'base', token: addressOf('WETH'), sizeUsd: '50000000' });
  expect(risk_profile.transferability).toMatchObject({ outcome: 'tradable', buyTaxRaw: 0, sellTaxRaw: 0 });
  expect(risk_profile.transferability.note).toContain('In pool 0x');
  expect(risk_profile.transferability.note).not.toMatch(/tax (?!0\.00 %)/);
  expect(flags['F-FOT']).toMatchObject({ severity: 'none', value: 0 });
});

test('behavior: reports that no trade can be simulated if the size is too small', async () => {
  const { checker } = checkerOn(fixture.base);
  const { risk_profile } = await checker.check({ chain: 'base', token: addressOf('WETH'), sizeUsd: '0.00001' });
  expect(risk_profile.transferability).toMatchObject({ outcome: 'unknown', sellTaxRaw: null });
  expect(risk_profile.transferability.note).toContain('No pool in which a trade of this size can be simulated.');
});

test('behavior: the price of a token that is not a base asset is compared with its own feed', async () => {
  const { checker } = checkerOn(fixture.base);
  const { risk_profile, flags, sources } = await checker.check({ chain: 'base', token: addressOf('AERO') });
  expect(risk_profile.oracle).toMatchObject({ stalenessSec: expect.any(Number), deviationBps: expect.any(Number) });
  expect(Math.abs(risk_profile.oracle.deviationBps ?? 1e9)).toBeLessThan(100);
  expect(flags['O-SANITY'].severity).not.toBe('unknown');
  expect(sources['risk_profile.oracle.source']).toMatch(/^derived: /);
});

test('behavior: 250.50 and 250.5 share one answer, and each response repeats its own spelling', async () => {
  const checker = createEngine({
    rpc: { base: [loopbackEndpoint(fixture.base.rpcUrl)] },
    now: Date.now,
    freshnessMs: byChain(() => 600_000),
    deadlineMs: 30_000,
  });
  const check = (sizeUsd: string) => checker.check({ chain: 'base', token: addressOf('PLAIN'), sizeUsd });
  const [first, second] = [await check('250.50'), await check('250.5')];
  expect([first.sizeUSD, second.sizeUSD]).toEqual(['250.50', '250.5']);
  expect({ ...second, sizeUSD: '250.50' }).toEqual(first);
});

test('behavior: a power of the owner is reported with the block of its simulation', async () => {
  const { risk_profile } = await checkerOn(fixture.base).checker.check({ chain: 'base', token: addressOf('MAXSALE') });
  expect(risk_profile.transferability.note).toMatch(
    /The owner can block all sales by .*\(simulated with this code at block \d+\)/,
  );
});
