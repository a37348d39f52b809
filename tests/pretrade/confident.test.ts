import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeOptions } from '../../engine/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { balanceOf } from '../../sandbox/testTokens/measurement/traders.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { addressIn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { explorerVendors } from './explorerVendors.ts';

// PLAIN has no price feed; WETH and USDC have one.

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

/** Vendors that return the five largest token holders, and a first transfer `ageDays` ago. */
async function vendorsOf(token: Address, ageDays = 60): Promise<NonNullable<PretradeOptions['vendors']>> {
  const { base, testTokens } = fixture;
  const node = createNodeClient(base.rpcUrl);
  const pools = [...base.pools, ...testTokens.tokens.flatMap((testToken) => testToken.pools)];
  const holders = [
    ...new Set([testTokens.deployer, ...pools.map(({ pool }) => pool).filter((pool) => pool.length === 42)]),
  ];
  const singletons: Address[] = ['0x498581fF718922c3f8e6A244956aF099B2652b2b'];
  const held = await Promise.all(
    [...holders, ...singletons].map(async (address) => ({ address, balance: await balanceOf(node, token, address) })),
  );
  const largest = held.sort((a, b) => (b.balance > a.balance ? 1 : -1)).slice(0, 5);
  return explorerVendors(
    largest.map(({ address }) => address),
    ageDays,
  );
}

const addressOf = (symbol: string) => addressIn(fixture, symbol);

async function check(symbol: string, ageDays?: number) {
  const token = addressOf(symbol);
  const checker = checkerOver(fixture.base, loopbackEndpoint(fixture.base.rpcUrl), {
    vendors: await vendorsOf(token, ageDays),
    powerDeadlineMs: 30_000,
  });
  return await checker.check({ chain: 'base', token });
}

test.each(['PLAIN', 'WETH', 'USDC'])('%s is clear with high confidence if every vendor responds', async (symbol) => {
  const answer = await check(symbol);
  const severities = Object.entries(answer.flags).map(([name, { severity }]) => [name, severity]);
  expect(severities.filter(([, severity]) => severity === 'unknown')).toEqual([]);
  expect(answer).toMatchObject({ verdict: 'clear', confidence: 'high', liquidityCoverage: { conclusive: true } });
});

test('reasons state exit liquidity, holder share and age if these flags have severity high', async () => {
  const { flags, reasons } = await check('THIN', 2 / 24);
  expect([flags['F-LIQ'].severity, flags['F-CONC'].severity, flags['F-AGE'].severity]).toEqual([
    'high',
    'high',
    'high',
  ]);
  expect(reasons).toEqual([
    expect.stringMatching(/^Exit liquidity is 0\.\d\d times the size\.$/),
    `The ten largest holders have ${flags['F-CONC'].value?.toFixed(2)} % of the supply, excluding pools, burn addresses and the token itself.`,
    'The first transfer was less than 0.1 days before this block.',
    expect.stringMatching(/^None of the listed traps is proven/),
  ]);
});
