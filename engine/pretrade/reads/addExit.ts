import { type Hex, isHex, numberToHex } from 'viem';
import { type Batch, createBatch, resultOf } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { type BalanceReading, fromBalanceReplies, type Holding, toBalanceCalls } from '../../chain/readBalances.ts';
import { LensAnswerError } from '../../chain/wordReader.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolCreation } from '../../pools/poolIndex.ts';
import { fromRankReplies, maxUnlistedPools, toRankCalls } from '../../pools/rankPools.ts';
import { isConcentrated, isSingleton } from '../../venues/kinds.ts';
import { hasSwapHook, poolIdOf, toPoolKey } from '../../venues/uniswapV4/poolKey.ts';
import { decodeExit } from '../exit/decodeExit.ts';
import type { RecheckQuery } from '../exit/encodeRecheck.ts';
import type { ExitPool, ExitReading, LoggedPool } from '../exit/exitTypes.ts';
import { fromRecheck } from '../exit/recheck.ts';
import { poolKey, splitListed } from '../exit/splitListed.ts';
import type { TradePlan } from '../simulation/simulationTypes.ts';
import { toExit, toExitCall, toPoolsCall, toRecheckCall } from '../tokenCalls.ts';
import type { PretradeEnvironment } from '../tokenReading.ts';

interface ExitRequest {
  token: LowerAddress;
  /** Pools from logs that are not candidate pools. */
  pools: readonly LoggedPool[];
  block: Hex | 'latest';
  /** Measure these pools at the latest block, without a search. */
  recheck?: RecheckQuery | undefined;
}

/**
 * Adds a call of the exit lens to a batch, with reads of the counter-asset balances of pairs from logs.
 * @returns a function that decodes the replies; it throws NodeRefusedError
 */
export function addExit(
  batch: Batch,
  environment: PretradeEnvironment,
  node: Node,
  { token, pools, block, recheck }: ExitRequest,
): () => ExitReading {
  const reply = batch.add(
    recheck ? toRecheckCall(environment, node, recheck) : toExitCall(environment, node, token, pools, block),
  );
  const holdings = recheck ? [] : toCounterHoldings(pools);
  const balances = batch.add(...toBalanceCalls(holdings, block));
  return () => {
    const decode = (words: Hex) => (recheck ? fromRecheck(recheck, words) : decodeExit(words));
    const exit = toExit(reply()[0], decode);
    const exits = resolveUnreadPairs(exit.exits, holdings, fromBalanceReplies(holdings, balances()));
    return { ...exit, exits };
  };
}

/**
 * Orders unlisted pools by the amount of the token that they hold, because one call measures only the first
 * `maxUnlistedPools`. Sends one request if there are more, otherwise none.
 */
export async function rankKnown(
  pools: readonly LoggedPool[],
  { data }: PretradeEnvironment,
  node: Node,
  token: LowerAddress,
  block: Hex,
): Promise<readonly LoggedPool[]> {
  if (pools.length <= maxUnlistedPools) return pools;
  const { wrappedNative, usdc } = data.deployment;
  const refs = pools.flatMap((known) => {
    const { kind, pool, counter, fee, tickSpacing, hooks } = known;
    const listed = data.candidatePools.find(({ venue }) => venue === known.venue);
    if (!listed) return [];
    const candidatePool = { ...listed, kind, factory: pool, fee, tickSpacing, hooks };
    const key = toPoolKey(candidatePool, [token, counter], wrappedNative);
    const token0 = BigInt(key.currency0) === 0n ? wrappedNative : key.currency0;
    const token1 = key.currency1;
    return [{ known, ref: { candidatePool, id: isSingleton(kind) ? poolIdOf(key) : pool, token0, token1 } }];
  });
  const batch = createBatch();
  const all = refs.map(({ ref }) => ref);
  const replies = batch.add(...toRankCalls(all, token, block));
  await batch.send(node);
  const ranked = fromRankReplies(all, token, replies(), [wrappedNative, usdc]);
  const first = ranked.flatMap((ref) => refs.find((entry) => entry.ref === ref)?.known ?? []);
  return [...first, ...pools.filter((pool) => !first.includes(pool))];
}

/** Splits the token's pools from logs into `listed`, which a look-up of the candidate pools must find, and `unlisted`. */
export const splitPools = ({ data }: PretradeEnvironment, token: LowerAddress, creations: readonly PoolCreation[]) =>
  splitListed(creations, token, {
    candidatePools: data.candidatePools,
    bases: data.deployment.pricingAssets,
    wrapped: data.deployment.wrappedNative,
  });

/** Whether both lists contain the same pools, in any order. */
export function samePools(a: readonly LoggedPool[], b: readonly LoggedPool[]): boolean {
  const keys = new Set(a.map(poolKey));
  return a.length === b.length && b.every((pool) => keys.has(poolKey(pool)));
}

/** The counter-asset balance of each pair from logs, to read in the exit lens's batch. */
function toCounterHoldings(pools: readonly LoggedPool[]): Holding[] {
  return pools
    .filter(({ kind }) => !isConcentrated(kind))
    .map(({ counter, pool }) => ({ token: counter, holder: pool }));
}

/**
 * Gives unread pairs from logs that pay nothing a final status: `rejected` if the balance of the counter-asset is
 * unreadable, `empty` if it is 0. Anyone can create such a pair, and an unread pair makes every check inconclusive.
 */
function resolveUnreadPairs(
  exits: readonly ExitPool[],
  holdings: readonly Holding[],
  balances: readonly BalanceReading[],
): ExitPool[] {
  const balanceOf = new Map(holdings.map(({ holder }, index) => [holder, balances[index]]));
  return exits.map((exit) => {
    const balance = exit.candidatePool === undefined && exit.status === 'unread' ? balanceOf.get(exit.pool) : undefined;
    if (balance?.status === 'unreadable') return { ...exit, status: 'rejected', most: 0n };
    return balance?.status === 'read' && balance.amount === 0n ? { ...exit, status: 'empty', most: 0n } : exit;
  });
}

/** Blocks of a day on Base. A simulation of trades reaches far fewer. */
const laterBlocks = 43_200n;
const laterSeconds = 86_400n;

/**
 * Adds the sale of the exit lens in the best pool, as if the block were a day later, if that pool has a hook: a hook can
 * start to take more in a block that simulated trades do not reach.
 * @returns a function that returns the part by which the sale pays less than now, as a fraction; null if it could not be
 * measured
 */
export function addLaterSale(
  batch: Batch,
  environment: PretradeEnvironment,
  node: Node,
  { plan, exit }: { plan: TradePlan | undefined; exit: ExitReading },
): () => number | null {
  const pool = exit.exits.find((candidate) => plan && poolKey(candidate) === poolKey(plan.pool));
  if (!plan || !pool || !hasSwapHook(pool.hooks) || pool.drawn === 0n) return () => null;
  const { blockNumber, timestamp } = exit;
  const block = numberToHex(blockNumber);
  const call = toPoolsCall(environment, node, { token: plan.pool.token, known: [pool], block });
  const overrides = {
    number: numberToHex(blockNumber + laterBlocks),
    time: numberToHex(timestamp + laterSeconds),
  };
  // Some nodes reject block overrides: then nothing is measured.
  const reply = batch.add({ ...call, params: [...call.params, overrides] });
  return () => {
    const result = resultOf(reply()[0]);
    if (!isHex(result)) return null;
    try {
      const [later] = decodeExit(result).exits;
      const isMeasured = later && ['filled', 'partial', 'rejected'].includes(later.status);
      return isMeasured ? 1 - Number(later.drawn) / Number(pool.drawn) : null;
    } catch (error) {
      if (error instanceof LensAnswerError) return null;
      throw error;
    }
  };
}
