import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine, type PoolHintSource, type PretradeAnswer } from '../../engine/index.ts';
import { limitedEndpoint, sourceOf } from '../engine/hintMarket.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { hookedShapes } from '../engine/market.ts';
import { addressIn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// The factories' logs are refused and there is no index yet. Third parties list pools of the token.

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

/** Checks with an empty memory, or twice with one memory. */
function checkerWith(sources: readonly PoolHintSource[], isLimited = true) {
  const { base } = fixture;
  const rules = { isLimited };
  const engine = createEngine({
    rpc: { base: [limitedEndpoint(loopbackEndpoint(base.rpcUrl), rules)] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    extraV4Shapes: { base: hookedShapes(base) },
    pretrade: { powerDeadlineMs: 30_000 },
    poolHints: { base: sources },
  });
  const check = (symbol: string) => engine.check({ chain: 'base', token: addressIn(fixture, symbol), sizeUsd: '1000' });
  return { check, rules };
}
const poolsOf = (symbol: string) =>
  fixture.testTokens.tokens.find((token) => token.symbol === symbol)?.pools.map(({ pool }) => pool) ?? [];
const textOf = ({ reasons }: PretradeAnswer) => reasons.join(' ');

test('measures a pool that only third parties list and its factory confirms', async () => {
  const without = await checkerWith([]).check('JUNKPAIR');
  const { check } = checkerWith([sourceOf(poolsOf('JUNKPAIR'), 'geckoterminal'), sourceOf([], 'dexscreener')]);
  const answer = await check('JUNKPAIR');
  expect(answer.liquidityCoverage.poolsFound).toBeGreaterThan(without.liquidityCoverage.poolsFound ?? 0);
  expect(textOf(answer)).toMatch(
    /Of the pools that geckoterminal and dexscreener list, \d+ more (?:was|were) confirmed on the chain\./,
  );
  expect(textOf(answer)).toMatch(/factories' logs could not be read in full/);
  const again = await check('JUNKPAIR');
  expect(again.liquidityCoverage.poolsFound).toBe(answer.liquidityCoverage.poolsFound);
});

test.each(['NOPOOL', 'DRAINED', 'PLAIN', 'FARHOP', 'TWOHOP', 'JUNKPAIR', 'V4HOOK'])(
  'hints never make the answer on %s conclusive, and raise no trigger',
  async (symbol) => {
    const without = await checkerWith([]).check(symbol);
    for (const pools of [[], poolsOf(symbol), poolsOf('PLAIN')]) {
      const answer = await checkerWith([sourceOf(pools)]).check(symbol);
      expect(answer.triggers, textOf(answer)).toEqual(without.triggers);
      expect(answer.verdict).toBe(without.verdict);
      expect(Number(answer.liquidityCoverage.conclusive)).toBeLessThanOrEqual(
        Number(without.liquidityCoverage.conclusive),
      );
    }
  },
);

test('hints change no fact of a check whose logs are read', async () => {
  const withTimes = ({ ts: _, validUntil: __, ...answer }: PretradeAnswer) => answer;
  const plain = await checkerWith([], false).check('FARHOP');
  const hinted = await checkerWith([sourceOf([...poolsOf('FARHOP'), ...poolsOf('PLAIN')])], false).check('FARHOP');
  expect(withTimes(hinted)).toEqual(withTimes(plain));
});

test('a source that fails or never answers is named, and delays no more than its time', async () => {
  const hanging: PoolHintSource = { label: 'hanging', fetchPools: () => new Promise(() => undefined) };
  const failing: PoolHintSource = { label: 'failing', fetchPools: () => Promise.reject(new Error('down')) };
  const startedAt = performance.now();
  const answer = await checkerWith([hanging, failing]).check('NOPOOL');
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(textOf(answer)).toContain('hanging and failing could not be searched for further pools.');
});
