import { formatUnits, getAddress, type Hex, numberToHex } from 'viem';
import { createBatch } from '../chain/batch.ts';
import type { Node } from '../chain/node.ts';
import { fromBalanceReplies, toBalanceCalls } from '../chain/readBalances.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { heldInWeighted } from '../pools/balancerV2/heldInWeighted.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import { fromSizeReplies, toRankCalls } from '../pools/rankPools.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import { depthWithinOnePercent } from '../venues/price.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import type { Flag } from './quoteTypes.ts';
import { toCurve } from './search/curve.ts';
import type { FilledPlan } from './search/planTypes.ts';

/** How much of a token a pool or venue holds that this service does not quote. */
export interface OtherHolding {
  venue: string;
  token: LowerAddress;
  /** In base units. */
  amount: number;
  holder: LowerAddress;
  /** A v4 pool with an unlisted hook; `amount` is what its liquidity pays up to the next multiple of its tick spacing. */
  pool?: PoolRef;
  blockNumber: bigint;
}

type Venues = Pick<Deployment, 'uncovered'>;

const singletons = ({ uncovered }: Venues) => uncovered.filter(({ kind }) => kind === 'singleton');
const toHoldings = (venues: Venues, token: LowerAddress) =>
  singletons(venues).map(({ address }) => ({ token, holder: address }));

/** Calls that read how much of a token the uncovered singletons hold. */
export const toVenueCalls = (venues: Venues, token: LowerAddress): RpcCall[] =>
  toBalanceCalls(toHoldings(venues, token), 'latest');

/** Venues whose balance was not read, or is zero, are left out. */
export function fromVenueReplies(
  venues: Venues,
  token: LowerAddress,
  replies: readonly (RpcReply | undefined)[],
  blockNumber: bigint,
): OtherHolding[] {
  const balances = fromBalanceReplies(toHoldings(venues, token), replies);
  return singletons(venues).flatMap(({ name, address }, index) => {
    const balance = balances[index];
    if (balance?.status !== 'read' || balance.amount === 0n) return [];
    return [{ venue: name, token, amount: Number(balance.amount), holder: address, blockNumber }];
  });
}

/** Reads how much of a token v4 pools with unlisted hooks hold, in one request; none without such pools. */
export async function readHookedPools(
  hooked: readonly PoolRef[],
  token: LowerAddress,
  block: bigint,
  node: Node,
): Promise<OtherHolding[]> {
  if (hooked.length === 0) return [];
  const batch = createBatch();
  const replies = batch.add(...toRankCalls(hooked, token, numberToHex(block)));
  await batch.trySend(node);
  return [...fromSizeReplies(hooked, token, replies())].flatMap(([pool, amount]) => {
    const { venue, factory } = pool.candidatePool;
    return amount > 0 ? [{ venue, token, amount, holder: factory, pool, blockNumber: block }] : [];
  });
}

/** The holdings that could change an answer, the largest first. */
export interface NotCovered {
  largest: { holding: OtherHolding; decimals: number }[];
  count: number;
  /** The sum of all holdings, each as a part of what the plan's pools hold of its token. */
  share: number;
}

/** A holding counts from this part of what the plan's pools hold. */
const minShare = 0.01;
const maxListed = 5;

/**
 * Holdings of at least 1 % of what the pools of a plan hold. A venue's balance is compared with what these pools can pay
 * in total. A hooked pool is compared with what they pay until their price falls by 1 %, because only its liquidity
 * around the price is known.
 */
export function findNotCovered(
  holdings: readonly OtherHolding[],
  { plan }: FilledPlan,
  states: StateReading,
  { routingAssets }: Pick<Deployment, 'routingAssets'>,
): NotCovered {
  const used = new Set(plan.legs.map(({ pool }) => pool.id));
  const pools = states.pools.filter(({ ref }) => used.has(ref.id));
  const partners = new Set([plan.tokenIn, plan.tokenOut, ...routingAssets.map(({ address }) => address)]);
  const inWeighted = heldInWeighted(states.pools);
  const found = holdings.flatMap((holding) => {
    const { token, pool, holder } = holding;
    const decimals = states.tokens.find(({ address }) => address === token)?.decimals;
    if (decimals === undefined || (pool && !(partners.has(pool.token0) && partners.has(pool.token1)))) return [];
    const amount = pool ? holding.amount : holding.amount - Number(inWeighted(holder, token));
    const held = pools.reduce((sum, { ref, state }) => {
      if (ref.token0 !== token && ref.token1 !== token) return sum;
      const zeroForOne = ref.token1 === token;
      return (
        sum + (pool ? Number(depthWithinOnePercent(state, zeroForOne)) : (toCurve(state, zeroForOne)?.reach(all) ?? 0))
      );
    }, 0);
    const share = held > 0 ? amount / held : 0;
    return share >= minShare ? [{ holding: { ...holding, amount }, decimals, share }] : [];
  });
  found.sort((a, b) => b.share - a.share);
  return {
    largest: found.slice(0, maxListed),
    count: found.length,
    share: found.reduce((sum, { share }) => sum + share, 0),
  };
}

/** More than any pool takes. */
const all = 2 ** 250;

export function notCoveredFlags({ largest, count }: NotCovered): Flag[] {
  if (count === 0) return [];
  const pools = largest.map(({ holding: { venue, token, amount, pool, blockNumber }, decimals }) => ({
    venue,
    ...(pool && { pool: pool.id as Hex, hooks: getAddress(pool.candidatePool.hooks) }),
    token: getAddress(token),
    holds: formatUnits(BigInt(Math.floor(amount)), decimals),
    blockNumber: blockNumber.toString(),
  }));
  const named = pools.map(({ venue, pool, hooks, token, holds }) => {
    const where = pool ? `${venue} pool ${pool} with the hook ${hooks}, which holds at least` : `${venue}, which holds`;
    return `${where} ${Number(Number(holds).toPrecision(4))} of ${token}`;
  });
  const more = count > pools.length ? ` and ${count - pools.length} more` : '';
  const message = `This service cannot quote ${named.join('; ')}${more}. A better price there is possible.`;
  return [{ code: 'NOT_COVERED', severity: 'warn', message, facts: { pools, count } }];
}
