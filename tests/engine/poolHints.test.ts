import type { Address, Hex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { type PoolHintSource, type PoolIndexState, type QuoteAnswer, toLowerAddress } from '../../engine/index.ts';
import { confirmHints } from '../../engine/pools/confirmHints.ts';
import type { PoolIndex, WeightedIndex } from '../../engine/pools/poolIndex.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import { makerAddress, type SandboxChain, type TokenPlan } from '../../sandbox/index.ts';
import { testNode } from '../support/engine/testNode.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { clonePair, limitedEndpoint, mintPositionIn, placePositionManager, sourceOf } from './hintMarket.ts';
import { placed } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver } from './market.ts';
import { keyOf, openV4 } from './openV4Pool.ts';

// A node refuses the factories' logs, as on the first day of a deployment. Third parties list pools of the token.

const plain = (symbol: string) => {
  const { address, creation } = placed(symbol, honestTokenArtifact, [symbol, symbol, 18, makerAddress, 10n ** 30n]);
  return { symbol, usd: 2, decimals: 18, about: symbol, address, placement: { address, creation } } satisfies TokenPlan;
};
/** KEYED has one v4 pool with an unlisted key. PAIRED has pools of MIDDLE only, which no list contains. */
const [keyed, paired, middle] = [plain('KEYED'), plain('PAIRED'), plain('MIDDLE')];
const clone: Address = '0x00000000000000000000000000000000c10ec10e';
const unusedAddress: Address = '0x000000000000000000000000000000000000dead';

const opened = useOpenChain('base');
let chain: SandboxChain;
let keyedPool: Hex;
let pairs: Address[];
let foreignPool: Address;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [keyed, paired, middle],
    pools: [
      { venue: 'uniswap-v2', pair: ['PAIRED', 'MIDDLE'], usd: 40_000 },
      { venue: 'uniswap-v3', pair: ['PAIRED', 'MIDDLE'], usd: 60_000, tier: 3000 },
      { venue: 'aerodrome', pair: ['PAIRED', 'MIDDLE'], usd: 30_000 },
      { venue: 'aerodrome-slipstream', pair: ['PAIRED', 'MIDDLE'], usd: 50_000, tier: 100 },
      { venue: 'uniswap-v3', pair: ['MIDDLE', 'USDC'], usd: 400_000, tier: 3000 },
    ],
  });
  const isPaired = ({ token0, token1 }: { token0: Address; token1: Address }) =>
    [token0, token1].map(toLowerAddress).includes(toLowerAddress(paired.address));
  pairs = chain.pools.filter(isPaired).map(({ pool }) => pool as Address);
  foreignPool = chain.pools.find(({ venue }) => venue === 'uniswap-v2')?.pool as Address;
  await placePositionManager(opened.builder);
  const key = keyOf(chain, keyed.address, 2500, 50);
  const opening = await openV4(opened.builder, keyed.address, key, 100_000);
  keyedPool = opening.pool;
  chain = { ...chain, pools: [...chain.pools, opening] };
  await mintPositionIn(opened.builder, key);
  await clonePair(chain, opened.builder, {
    pair: pairs[0] as Address,
    tokens: [paired.address, middle.address],
    to: clone,
  });
});

const state = (status: PoolIndexState['status']): PoolIndexState => ({
  status,
  blocksLeft: 6,
  target: 10,
  percent: 40,
  secondsLeft: 840,
  reason: undefined,
});
/** An index without pools of the tokens. */
const indexWith = (status: PoolIndexState['status']): PoolIndex & WeightedIndex => ({
  load: async () => undefined,
  loadWeighted: async () => undefined,
  wake: () => undefined,
  state: () => state(status),
});

interface Setting {
  isLimited?: boolean;
  index?: PoolIndex & WeightedIndex;
}

function engineWith(sources: readonly PoolHintSource[], { isLimited = true, index }: Setting = {}) {
  const rules = { isLimited };
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const ports = { poolHints: { base: sources }, ...(index && { poolIndexes: { base: index } }) };
  const engine = engineOver(chain, limitedEndpoint(endpoint, rules), [], ports);
  const sell = (token: { address: Address }) =>
    engine.quote({ chain: 'base', tokenIn: token.address, tokenOut: chain.usdc, size: { tokenIn: '100' } });
  const check = (token: { address: Address }) => engine.check({ chain: 'base', token: token.address });
  return { rules, endpoint, sell, check };
}

async function expectExecuted({ route, amountIn, amountOut }: QuoteAnswer): Promise<void> {
  expect(amountOut).toBeGreaterThan(0n);
  expect((await executed(chain, route.legs, amountIn, opened.trader))?.received).toBe(amountOut);
}

const noRouteOf = ({ flags }: QuoteAnswer) => flags.find(({ code }) => code === 'NO_ROUTE');
const withoutTime = ({ ts: _, validUntil: __, ...answer }: QuoteAnswer) => answer;

describe('the first quote of a token while logs are refused', () => {
  test('finds no route without hints', async () => {
    for (const token of [keyed, paired]) {
      const answer = await engineWith([]).sell(token);
      expect(noRouteOf(answer)?.facts).toMatchObject({ poolsMayBeMissing: true });
    }
  });

  test('uses the v4 pool whose key the position manager returns, to the wei', async () => {
    const source = sourceOf([keyedPool]);
    const answer = await engineWith([source]).sell(keyed);
    expect(answer.route.pools).toEqual([keyedPool]);
    expect(answer.confidence).toBe('medium');
    expect(source.asked).toEqual([toLowerAddress(keyed.address)]);
    await expectExecuted(answer);
  });

  test.each([0, 1, 2, 3])('uses pool %i of another counter-asset, which its factory confirms', async (at) => {
    const answer = await engineWith([sourceOf([pairs[at] as string])]).sell(paired);
    expect(answer.route.pools.map(toLowerAddress as (pool: string) => string)).toContain(pairs[at]?.toLowerCase());
    await expectExecuted(answer);
  });

  test('gives the same plan as the logs if all pools are listed', async () => {
    const listed = await engineWith([sourceOf(pairs.slice(0, 2), 'one'), sourceOf(pairs.slice(1), 'two')]).sell(paired);
    const logged = await engineWith([], { isLimited: false }).sell(paired);
    expect(listed.amountOut).toBe(logged.amountOut);
    expect(listed.route).toEqual(logged.route);
  });
});

describe('hints that the chain does not confirm change nothing', () => {
  const bytes32 = (text: string) => `0x${text.padEnd(64, '0')}`;
  const cases: [string, () => string[]][] = [
    ['a clone of a pair that its factory does not return', () => [clone]],
    ['addresses without code, and tokens', () => [unusedAddress, paired.address, chain.usdc]],
    ['pools of other tokens', () => [foreignPool]],
    ['a v4 pool of another token', () => [keyedPool]],
    ['an id that no key hashes to', () => [bytes32('beef')]],
    ['values that are no pool', () => ['0x', '0x12', 'pool', bytes32('') + bytes32('').slice(2)]],
    ['10,000 pools', () => Array.from({ length: 10_000 }, (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}`)],
  ];
  test.each(cases)('%s', async (_, pools) => {
    const without = await engineWith([]).sell(paired);
    const { sell, endpoint } = engineWith([sourceOf(pools())]);
    const answer = await sell(paired);
    expect(answer.amountOut).toBe(0n);
    expect(answer.confidence).toBe(without.confidence);
    expect(noRouteOf(answer)?.facts).toEqual({ ...noRouteOf(without)?.facts, poolsListedBy: ['vendor'] });
    expect(endpoint.requests).toBeLessThan(20);
  });

  test('an id that differs from a pool only after the 25 bytes that the position manager reads', async () => {
    const { send } = loopbackEndpoint(chain.rpcUrl);
    const node = testNode({ chain: 'base', send: (calls) => send(calls, { signal: AbortSignal.timeout(20_000) }) });
    const tables = { deployment: deployments.base, candidatePools: toCandidatePools(deployments.base.venues) };
    const confirm = (id: Hex) => confirmHints([id], tables, node);
    expect(await confirm(keyedPool)).toMatchObject([{ id: keyedPool, fee: 2500, tickSpacing: 50 }]);
    expect(await confirm(`${keyedPool.slice(0, 52)}${'0'.repeat(14)}` as Hex)).toEqual([]);
  });

  test('20 hints of one source do not crowd out the other one', async () => {
    const junk = Array.from({ length: 60 }, (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}`);
    const answer = await engineWith([sourceOf(junk), sourceOf(pairs)]).sell(paired);
    await expectExecuted(answer);
  });
});

describe('a source that fails', () => {
  const hanging: PoolHintSource = { label: 'hanging', fetchPools: () => new Promise(() => undefined) };
  const failing: PoolHintSource = { label: 'failing', fetchPools: () => Promise.reject(new Error('down')) };

  test.each([
    ['hangs', hanging],
    ['fails', failing],
  ])('that %s does not keep the pools of another from the first quote', async (_, source) => {
    await expectExecuted(await engineWith([source, sourceOf(pairs)]).sell(paired));
  });

  test('that never answers delays the first quote by at most its second for logs and hints', async () => {
    const { sell } = engineWith([hanging]);
    const startedAt = performance.now();
    const answer = await sell(paired);
    // The rest is the time of a loaded machine.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(noRouteOf(answer)?.facts).not.toHaveProperty('poolsListedBy');
  });
});

describe('third parties are not asked', () => {
  test('again about a token, or by a known market', async () => {
    const source = sourceOf(pairs);
    const { sell } = engineWith([source]);
    for (let round = 0; round < 3; round += 1) await sell(paired);
    expect(source.asked).toHaveLength(1);
  });

  test('about routing assets', async () => {
    const source = sourceOf([]);
    await engineWith([source]).sell({ address: chain.wrappedNative });
    expect(source.asked).toEqual([]);
  });

  test('while the node returns logs of all blocks, after the first token', async () => {
    const source = sourceOf([]);
    const { sell } = engineWith([source], { isLimited: false });
    await sell(paired);
    await sell(keyed);
    await sell(middle);
    expect(source.asked).toEqual([toLowerAddress(paired.address)]);
  });

  test('beside the logs, once the index is complete', async () => {
    const source = sourceOf([]);
    await engineWith([source], { isLimited: false, index: indexWith('complete') }).sell(paired);
    expect(source.asked).toEqual([]);
  });
});

test('the same answer is given with hints and without, if all logs are read', async () => {
  const hinted = await engineWith([sourceOf([clone, ...pairs])], { isLimited: false }).sell(paired);
  const plainAnswer = await engineWith([], { isLimited: false }).sell(paired);
  expect(withoutTime(hinted)).toEqual(withoutTime(plainAnswer));
});

test('NO_ROUTE names the sources that were tried, what is missing and when it is read', async () => {
  const answer = await engineWith([sourceOf([], 'geckoterminal')], { index: indexWith('scanning') }).sell(paired);
  const message = noRouteOf(answer)?.message ?? '';
  expect(message).toContain('it is complete in about 14 min');
  expect(message).toContain('Pools that geckoterminal lists were tried as well.');
  expect(message).not.toMatch(/request the quote again/i);
});

test('a check measures the listed pool, but is not conclusive by it', async () => {
  const without = await engineWith([]).check(keyed);
  expect(without.liquidityCoverage).toMatchObject({ conclusive: false, poolsFound: 0 });
  const { check } = engineWith([sourceOf([keyedPool])]);
  for (let round = 0; round < 2; round += 1) {
    const answer = await check(keyed);
    expect(answer.liquidityCoverage).toMatchObject({ conclusive: false, poolsFound: 1 });
    expect(answer.risk_profile.liquidity.exitLiquidityUsd).toBeGreaterThan(10_000);
    expect(answer.risk_profile.transferability.outcome).toBe('tradable');
    expect(answer.triggers).toEqual([]);
  }
  const whole = await engineWith([], { isLimited: false }).check(keyed);
  expect(whole.liquidityCoverage).toMatchObject({ conclusive: true, poolsFound: 1 });
});
