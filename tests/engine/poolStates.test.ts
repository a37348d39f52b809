import { type Address, type Hex, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LensAnswerError } from '../../engine/chain/wordReader.ts';
import type { LowerAddress } from '../../engine/lowerAddress.ts';
import { decodeStates } from '../../engine/pools/decodeStates.ts';
import { createStateSource, type StateSource, toStateCall } from '../../engine/pools/readPools.ts';
import { toStateQuery } from '../../engine/pools/stateQuery.ts';
import { kinds, noHooks } from '../../engine/venues/kinds.ts';
import type { PoolRef, PoolState } from '../../engine/venues/poolTypes.ts';
import {
  createOrderRunner,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { clientOf, readDirectly, stateReaderOn } from './directPoolReads.ts';
import { seeded, tradedTokens, withChainRestored } from './market.ts';
import { readMarketStates } from './readMarketStates.ts';
import { byId, lower, readTenWeth, tenWeth } from './tenWeth.ts';

let sandbox: Sandbox;
let base: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox();
  base = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

/** Every pair that has a pool, once in each direction. */
function pairsOf(chain: SandboxChain): [LowerAddress, LowerAddress][] {
  const pairs = chain.pools.map((pool) => tradedTokens(chain, pool).map(lower).sort().join());
  return [...new Set(pairs)].flatMap((pair) => {
    const [a, b] = pair.split(',') as [LowerAddress, LowerAddress];
    return [[a, b] as [LowerAddress, LowerAddress], [b, a] as [LowerAddress, LowerAddress]];
  });
}

function familyOf(state: PoolState): string {
  if (state.kind === 'opaque') return state.reason;
  if (state.kind === 'weighted') return state.kind;
  return state.kind === 'stable' ? `${state.rule} stable` : state.rule;
}

const everywhere = ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'hook'];
const families = {
  base: [...everywhere, 'solidly', 'solidly stable', 'plugin'],
  polygon: [...everywhere, 'algebra-v1', 'plugin'],
  arbitrum: [...everywhere, 'algebra-v1'],
};

test.each(['base', 'polygon', 'arbitrum'] as const)(
  'on %s the lens reads the same states as the getters of the pools',
  async (name) => {
    const chain = sandbox.chains[name] as SandboxChain;
    const { source, node } = stateReaderOn(chain);
    const client = clientOf(chain);
    const seen = new Map<string, string>();
    for (const [tokenIn, tokenOut] of pairsOf(chain)) {
      const { pools } = await readMarketStates(source, { tokenIn, tokenOut, ticks: 400 }, node, 'latest');
      const direct = pools.filter(
        ({ ref }) => [ref.token0, ref.token1].sort().join() === [tokenIn, tokenOut].sort().join(),
      );
      for (const pool of direct) {
        expect(pool.state, `${pool.ref.candidatePool.venue} ${pool.ref.id}`).toEqual(
          await readDirectly(chain, client, pool),
        );
        seen.set(lower(pool.ref.id), familyOf(pool.state));
      }
    }
    expect(chain.pools.filter(({ pool }) => !seen.has(lower(pool)))).toEqual([]);
    expect(new Set(seen.values())).toEqual(new Set(families[name]));
  },
  240_000,
);

const quoterAbi = parseAbi([
  'function quoteExactInputSingle(address, address, uint256, uint160) view returns (uint256, uint16)',
]);

test('reads the fee of the next swap in an Algebra v1 pool', async () => {
  const chain = sandbox.chains.polygon as SandboxChain;
  const trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  await withChainRestored(chain, async () => {
    const { source, node } = stateReaderOn(chain);
    const client = clientOf(chain);
    const runner = await createOrderRunner(chain, trader);
    const pool = chain.pools.find(({ venue }) => venue === 'quickswap-v3') as SandboxPool;
    const fees = new Set<number>();
    for (let round = 0; round < 6; round += 1) {
      node.block = undefined;
      const [tokenIn, tokenOut] = (round % 2 === 0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0]).map(
        lower,
      ) as [LowerAddress, LowerAddress];
      const reading = await readMarketStates(source, { tokenIn, tokenOut }, node, 'latest');
      const state = byId(reading.pools).get(lower(pool.pool));
      if (state?.kind !== 'concentrated') throw new TypeError('The pool has no concentrated state.');
      const [, fee] = await client.readContract({
        address: lower('0xa15F0D7377B2A0C0c10db057f641beD21028FC89'),
        abi: quoterAbi,
        functionName: 'quoteExactInputSingle',
        args: [tokenIn, tokenOut, 1000n, 0n],
      });
      expect(state.feePips).toEqual([fee, fee]);
      fees.add(fee);
      // Sell a tenth of the pool's balance to move the price.
      const held = await client.readContract({
        address: tokenIn,
        abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
        functionName: 'balanceOf',
        args: [pool.pool as Address],
      });
      const legs = [{ venue: pool.venue, pool: pool.pool, tokenIn, tokenOut }];
      await runner.keepOrder({ legs, amountIn: held / 10n }, 1_800);
    }
    expect(fees.size).toBeGreaterThan(1);
  });
}, 120_000);

const unlistedShape = { fee: 2500, tickSpacing: 60 };

test('reads a v4 pool with an unlisted pool key if the caller passes it', async () => {
  await withChainRestored(base, async () => {
    const builder = await reopenChain(base, sandbox.wallets);
    const pair = ['WETH', 'USDC'] as const;
    const chain = await builder.list({
      tokens: [],
      pools: [{ venue: 'uniswap-v4', pair, tier: 2500, usd: 1_000_000 }],
    });
    const { source } = stateReaderOn(base);
    const listed = chain.pools.at(-1) as SandboxPool;
    const row = source.candidatePools.find(({ kind }) => kind === kinds.v4);
    if (!row) throw new TypeError('Base has no Uniswap v4 candidate pool.');
    const ref: PoolRef = {
      candidatePool: { ...row, ...unlistedShape, hooks: noHooks },
      id: listed.pool,
      token0: lower(listed.token0),
      token1: lower(listed.token1),
    };
    expect(byId((await readTenWeth(base)).pools).has(lower(ref.id))).toBe(false);
    const { pools } = await readTenWeth(base, { known: [{ ref, sells: 'both' }] });
    const pool = pools.find(({ ref: { id } }) => id === ref.id);
    expect(pool?.state).toEqual(pool && (await readDirectly(base, clientOf(base), pool)));
    expect(pool?.state).toMatchObject({ rule: 'uniswap-v4', feePips: [2500, 2500] });
  });
});

test('returns the same states for known pools as for enumerated ones', async () => {
  const all = await readTenWeth(base);
  const known = all.pools.map(({ ref }) => ({ ref, sells: 'both' as const }));
  const named = await readTenWeth(base, { known, onlyKnown: true });
  expect(named.pools.map(({ ref }) => ref)).toEqual(all.pools.map(({ ref }) => ref));
  for (const [at, { state }] of named.pools.entries()) {
    const before = all.pools[at]?.state;
    if (state.kind !== 'concentrated') expect(state).toEqual(before);
    else expect(before).toMatchObject({ sqrtPriceX96: state.sqrtPriceX96, feePips: state.feePips });
  }
});

test('throws only LensAnswerError for truncated or altered lens data', async () => {
  const { source, node } = stateReaderOn(base);
  const query = toStateQuery(source.deployment, tenWeth(base, source));
  const answers = await source.lens.readLenses(node, [toStateCall(source, query, 'latest')]);
  const answer = answers[0] as Hex;
  const decode = (words: Hex, from: StateSource = source) =>
    decodeStates(words, query, from.candidatePools, from.deployment.wrappedNative);
  const length = (answer.length - 2) / 64;
  expect(() => decode(answer.slice(0, 2 + 64 * (length - 1)) as Hex)).toThrow(LensAnswerError);
  const fewer = createStateSource(source.deployment, source.candidatePools.slice(1), source.lens);
  expect(() => decode(answer, fewer)).toThrow(LensAnswerError);
  const random = seeded(7);
  const junk = ['f'.repeat(64), '0'.repeat(64), `${'0'.repeat(60)}ffff`, `8${'0'.repeat(63)}`];
  for (let at = 0; at < length; at += 1) {
    const word = junk[Math.floor(random() * junk.length)] as string;
    const forged = `${answer.slice(0, 2 + 64 * at)}${word}${answer.slice(2 + 64 * (at + 1))}` as Hex;
    try {
      for (const { state } of decode(forged).pools) {
        if (state.kind !== 'concentrated') continue;
        expect(Math.abs(state.tick)).toBeLessThanOrEqual(887_272);
        expect(state.liquidity >> 128n).toBe(0n);
      }
    } catch (error) {
      expect(error).toBeInstanceOf(LensAnswerError);
    }
  }
});
