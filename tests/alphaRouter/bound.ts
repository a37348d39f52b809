import type { Address } from 'viem';
import { createLensCaller } from '../../engine/chain/lensCall.ts';
import { createNodes } from '../../engine/chain/nodes.ts';
import { toLowerAddress } from '../../engine/lowerAddress.ts';
import { createStateSource } from '../../engine/pools/readPools.ts';
import type { KnownPool } from '../../engine/pools/stateQuery.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import type { Pool, PoolRef, PoolState } from '../../engine/venues/poolTypes.ts';
import type { Tick } from '../../engine/venues/uniswapV3/concentrated.ts';
import { maxTick, minTick } from '../../engine/venues/uniswapV3/tickMaths.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { readMarketStates } from '../engine/readMarketStates.ts';
import { findOptimum } from '../support/engine/testOptimum.ts';
import type { ProofChain } from './uniswapChain.ts';

interface Order {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
}

/** More than the pools of these markets have in one direction. */
const ticks = 512;
/**
 * Ticks are read until they absorb an order of this value: four times the largest one. Pools that are thin for such an
 * order are read for one of the second value.
 */
const worthsUsd = [2_000_000, 2_000];

/**
 * Reads every pool of the chain at the latest block. Returns the output, in base units before gas, that no plan over these
 * pools exceeds (`findOptimum`). The pools must not change afterwards.
 */
export async function createBound({ chain, usdOf }: ProofChain): Promise<(order: Order) => number> {
  const deployment = deployments[chain.name];
  const source = createStateSource(deployment, toCandidatePools(deployment.venues), createLensCaller());
  const endpoints = [loopbackEndpoint(chain.rpcUrl)];
  const nodes = createNodes({ chain: chain.name, endpoints, now: Date.now, deadlineMs: 30_000, probe: async () => {} });
  const tokenOut = toLowerAddress(deployment.usdc);
  const worthOf = (usd: number) =>
    new Map(
      chain.tokens.map(({ address, decimals }) => [
        toLowerAddress(address),
        BigInt(Math.round((usd / (usdOf.get(address) ?? 1)) * 10 ** decimals)),
      ]),
    );
  const others = chain.tokens.map(({ address }) => toLowerAddress(address)).filter((token) => token !== tokenOut);
  const refs = new Map<string, PoolRef>();
  for (const tokenIn of others) {
    const { pools } = await nodes.read((node) => readMarketStates(source, { tokenIn, tokenOut }, node, 'latest'));
    for (const { ref } of pools) refs.set(ref.id, ref);
  }
  const missing = chain.pools.filter(({ pool }) => !refs.has(pool.toLowerCase()));
  if (missing.length > 0) throw new Error(`The bound lacks the pools ${missing.map(({ pool }) => pool).join(', ')}.`);
  const read: Pool[] = [];
  for (const usd of worthsUsd) {
    const left = [...refs.values()].filter(({ id }) => !read.some(({ ref }) => ref.id === id));
    const known = left.map((ref): KnownPool => ({ ref, sells: 'both' }));
    const query = { tokenIn: others[0] ?? tokenOut, tokenOut, known, onlyKnown: true, ticks, worth: worthOf(usd) };
    if (known.length > 0) {
      read.push(...(await nodes.read((node) => readMarketStates(source, query, node, 'latest'))).pools);
    }
  }
  if (read.length !== refs.size) throw new Error(`Read ${read.length} of ${refs.size} pools.`);
  const pools = read.map(({ ref, state }) => ({ ref, state: withAllTicks(state) }));
  return (order) => {
    const sold = { tokenIn: toLowerAddress(order.tokenIn), tokenOut: toLowerAddress(order.tokenOut) };
    return findOptimum({ ...order, ...sold, pools, routingTokens: [tokenOut, ...others] }).bound;
  };
}

/** A walk ends at half or double the price. Beyond its last tick, the liquidity counts as constant. */
function withAllTicks(state: PoolState): PoolState {
  if (state.kind !== 'concentrated') return state;
  const sumOf = (some: readonly Tick[]) => some.reduce((sum, { liquidityNet }) => sum + liquidityNet, 0n);
  const lowest = state.liquidity - sumOf(state.ticks.filter(({ index }) => index <= state.tick));
  const highest = state.liquidity + sumOf(state.ticks.filter(({ index }) => index > state.tick));
  const added = [
    { index: minTick, liquidityNet: lowest },
    { index: maxTick, liquidityNet: -highest },
  ];
  const ticks = [...state.ticks, ...added].filter(({ liquidityNet }) => liquidityNet !== 0n);
  return { ...state, ticks: ticks.toSorted((a, b) => a.index - b.index), knownFrom: minTick, knownTo: maxTick };
}
