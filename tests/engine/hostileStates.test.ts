import { isDeepStrictEqual } from 'node:util';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StateReading } from '../../engine/pools/decodeStates.ts';
import type { Pool } from '../../engine/venues/poolTypes.ts';
import { reopenChain, type Sandbox, type SandboxChain, type SandboxPool, startSandbox } from '../../sandbox/index.ts';
import {
  factoryFaults,
  placeHostileFactory,
  placeHostilePool,
  poolsToReplace,
  quotedPoolFaults,
} from '../support/hostileContracts.ts';
import { shareOf } from '../support/proofSize.ts';
import { clientOf, readDirectly, stateReaderOn } from './directPoolReads.ts';
import { dustPool } from './dustPools.ts';
import { withChainRestored } from './market.ts';
import { byId, lower, readTenWeth } from './tenWeth.ts';

let sandbox: Sandbox;
let base: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  base = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

describe('a hostile pool', () => {
  test.each(quotedPoolFaults.map((fault, index) => ({ fault, index })))(
    'that $fault affects only its own state',
    async ({ fault, index }) => {
      const before = await readTenWeth(base);
      for (const victim of shareOf(poolsToReplace(base), 3, index)) {
        await withChainRestored(base, async () => {
          const builder = await reopenChain(base, sandbox.wallets);
          await placeHostilePool(builder, victim, fault);
          const after = await readTenWeth(base);
          const [honest, states] = [byId(before.pools), byId(after.pools)];
          honest.delete(lower(victim.pool));
          states.delete(lower(victim.pool));
          expect(states, victim.venue).toEqual(honest);
          expect(after.gasUsed - before.gasUsed).toBeLessThan(1_000_000n);
        });
      }
    },
  );
});

test('reports a hostile candidate pool as unread', async () => {
  await withChainRestored(base, async () => {
    const [victim] = poolsToReplace(base).filter(({ venue }) => venue === 'uniswap-v3') as [SandboxPool];
    const builder = await reopenChain(base, sandbox.wallets);
    await placeHostilePool(builder, victim, 'BurnsGas');
    const { source } = stateReaderOn(base);
    const { unread, pairs } = await readTenWeth(base);
    const [seen] = unread.filter(({ ref }) => lower(ref.id) === lower(victim.pool));
    expect(seen).toMatchObject({ status: 'unread', ref: { candidatePool: { venue: 'uniswap-v3' } } });
    const candidatePool = source.candidatePools.findIndex((candidate) =>
      isDeepStrictEqual(candidate, seen?.ref.candidatePool),
    );
    expect(pairs[0]?.statuses[candidatePool]).toBe('unread');
  });
});

const factory: Address = '0x33128a8fC17869897dcE68Ed026d694621f6FDfD';
test.each(factoryFaults)('a factory that %s affects only its own pools', async (fault) => {
  const before = await readTenWeth(base);
  await withChainRestored(base, async () => {
    const builder = await reopenChain(base, sandbox.wallets);
    await placeHostileFactory(builder, factory, fault, base.usdc);
    const after = await readTenWeth(base);
    const others = before.pools.filter(({ ref }) => lower(ref.candidatePool.factory) !== lower(factory));
    expect(byId(after.pools)).toEqual(byId(others));
  });
});

const better = { skewBps: 2_000, side: 'below' } as const;
const freeTiers = [
  { venue: 'uniswap-v4', tier: 100, spacing: 1 },
  { venue: 'uniswap-v4', tier: 500, spacing: 10 },
  { venue: 'uniswap-v4', tier: 10_000, spacing: 200 },
  { venue: 'uniswap-v4', tier: 100, spacing: 1, native: true },
  { venue: 'uniswap-v4', tier: 10_000, spacing: 200, native: true },
  { venue: 'uniswap-v3', tier: 100, spacing: 1 },
  { venue: 'sushiswap-v3', tier: 100, spacing: 1 },
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 1 },
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 2 },
] as const;

test('dust pools change no other state and cost less than a tenth of the call each', async () => {
  const before = await readTenWeth(base);
  await withChainRestored(base, async () => {
    const builder = await reopenChain(base, sandbox.wallets);
    await builder.list({ tokens: [], pools: freeTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], better)) });
    const after = await readTenWeth(base);
    const states = byId(after.pools);
    for (const [id, state] of byId(before.pools)) expect(states.get(id)).toEqual(state);
    expect(Number(after.gasUsed)).toBeLessThan(Number(before.gasUsed) * (1 + 0.1 * freeTiers.length) * 0.8);
    // If its balance shows that a pool is dust, only its status is returned.
    const thin = after.pairs[0]?.statuses.filter((status) => status === 'thin').length ?? 0;
    expect(thin).toBeGreaterThanOrEqual(4);
  });
}, 120_000);

test('dust positions in a deep pool limit the ticks that are read, and a larger cap reads more', async () => {
  await withChainRestored(base, async () => {
    const builder = await reopenChain(base, sandbox.wallets);
    const tier = { venue: 'uniswap-v3', tier: 100, spacing: 1 };
    const dust = dustPool(tier, ['WETH', 'USDC'], { skewBps: 0, side: 'below', positions: 200 });
    const chain = await builder.list({ tokens: [], pools: [{ ...dust, usd: 20_000_000, range: undefined } as never] });
    const attacked = lower((chain.pools.at(-1) as SandboxPool).pool);
    const find = ({ pools }: StateReading) => pools.find(({ ref }) => lower(ref.id) === attacked) as Pool;
    const reachOf = ({ state }: Pool) => (state.kind === 'concentrated' ? state.tick - state.knownFrom : 0);
    const usual = await readTenWeth(base);
    // The share of gas for reading a pool's ticks depends on the number of pairs.
    expect(reachOf(find(usual))).toBeGreaterThanOrEqual(50);
    expect(reachOf(find(usual))).toBeLessThan(200);
    const known = [{ ref: find(usual).ref, sells: 'token0' as const, ticks: 300 }];
    const more = await readTenWeth(base, { known, onlyKnown: true });
    expect(reachOf(find(more))).toBeGreaterThan(200);
    expect(find(more).state).toEqual(await readDirectly(base, clientOf(base), find(more)));
  });
}, 120_000);
