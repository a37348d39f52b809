import { formatUnits, getAddress, type Hex, numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { fromBalanceReplies, type Holding, toBalanceCalls } from '../../chain/readBalances.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { fromSizeReplies, toRankCalls } from '../../pools/rankPools.ts';
import { depthWithinOnePercent } from '../../venues/models.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { Flag } from '../quoteTypes.ts';
import { toCurve } from '../search/curve.ts';
import type { FilledPlan } from '../search/planTypes.ts';
import { deepestOf, midsOf } from './deepestMid.ts';
import { type FactoryPool, heldInWeighted, hookedPools, singletons } from './uncoveredVenues.ts';

/** An amount of a token, in base units. */
interface Amount {
  token: LowerAddress;
  amount: bigint;
}

/** How much of a token a pool or venue holds that this service does not quote. */
interface OtherHolding extends Amount {
  venue: string;
  holder: LowerAddress;
  /** A pool that a factory returned; `amount` is its balance. */
  contract?: LowerAddress;
  /** A v4 pool with an unlisted hook; `amount` is what its liquidity pays up to the next multiple of its tick spacing. */
  pool?: PoolRef;
  /** The same for the other token of this pool, and the pool's price: base units of that token for one of `token`. */
  counter?: Amount & { price: number };
  blockNumber: bigint;
}

/** The holdings of pools and venues that are not quoted, as far as they were read. */
export interface OtherHoldings {
  holdings: readonly OtherHolding[];
  /** Venues whose holding could not be read. */
  unread: readonly string[];
}

type Venues = Pick<Deployment, 'uncovered'>;

const toHoldings = (venues: Venues, token: LowerAddress): Holding[] =>
  singletons(venues).map(({ address }) => ({ token, holder: address }));

/** Nothing was read. */
export const unreadHoldings = ({ uncovered }: Venues): OtherHoldings => ({
  holdings: [],
  unread: [...uncovered.map(({ name }) => name), hookedPools],
});

/** Calls that read how much of a token the uncovered singletons hold. */
export const toVenueCalls = (venues: Venues, token: LowerAddress): RpcCall[] =>
  toBalanceCalls(toHoldings(venues, token), 'latest');

export function fromVenueReplies(
  venues: Venues,
  token: LowerAddress,
  replies: readonly (RpcReply | undefined)[],
  blockNumber: bigint,
): OtherHoldings {
  const balances = fromBalanceReplies(toHoldings(venues, token), replies);
  const named = singletons(venues).map((venue, index) => ({ ...venue, balance: balances[index] }));
  return {
    holdings: named.flatMap(({ name, address, balance }) =>
      balance?.status === 'read' && balance.amount > 0n
        ? [{ venue: name, token, amount: balance.amount, holder: address, blockNumber }]
        : [],
    ),
    unread: named.flatMap(({ name, balance }) => (balance?.status === 'read' ? [] : [name])),
  };
}

/**
 * Reads what v4 pools with unlisted hooks hold, and how much of the token the pools of uncovered factories hold, in one
 * request; none without such pools.
 */
export async function readOtherPools(
  hooked: readonly PoolRef[],
  ofFactories: readonly FactoryPool[],
  token: LowerAddress,
  block: bigint,
  node: Node,
): Promise<OtherHoldings> {
  if (hooked.length + ofFactories.length === 0) return { holdings: [], unread: [] };
  const batch = createBatch();
  const at = numberToHex(block);
  const owned = ofFactories.map(({ pool }) => ({ token, holder: pool }));
  const sizes = batch.add(...(hooked.length > 0 ? toRankCalls(hooked, token, at) : []));
  const balances = batch.add(...toBalanceCalls(owned, at));
  await batch.trySend(node);
  const read = fromSizeReplies(hooked, sizes());
  const unread = new Set<string>();
  const holdings: OtherHolding[] = hooked.flatMap((pool): OtherHolding[] => {
    const size = read.get(pool);
    if (!size) {
      unread.add(hookedPools);
      return [];
    }
    const [amount0, amount1] = size.amounts;
    if (amount0 + amount1 === 0n) return [];
    const [first, second] = [
      { token: pool.token0, amount: amount0 },
      { token: pool.token1, amount: amount1 },
    ];
    const [own, counter] =
      pool.token0 === token ? [first, { ...second, price: size.price }] : [second, { ...first, price: 1 / size.price }];
    const { venue, factory } = pool.candidatePool;
    return [{ venue, ...own, counter, holder: factory, pool, blockNumber: block }];
  });
  for (const [index, balance] of fromBalanceReplies(owned, balances()).entries()) {
    const { venue, pool } = ofFactories[index] as FactoryPool;
    if (balance.status !== 'read') unread.add(venue);
    else if (balance.amount > 0n)
      holdings.push({ venue, token, amount: balance.amount, holder: pool, contract: pool, blockNumber: block });
  }
  return { holdings, unread: [...unread] };
}

/** The holdings that could change an answer, the largest first. */
export interface NotCovered {
  largest: { holding: OtherHolding; decimals: number }[];
  count: number;
  /** The sum of all holdings, each as a part of what the plan's pools hold of its token. */
  share: number;
  /** Venues whose holding could not be read. */
  unread: readonly string[];
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
  { holdings, unread }: OtherHoldings,
  filled: FilledPlan,
  states: StateReading,
  { routingAssets }: Pick<Deployment, 'routingAssets'>,
): NotCovered {
  const { plan } = filled;
  const used = new Set(plan.legs.map(({ pool }) => pool.id));
  const pools = states.pools.filter(({ ref }) => used.has(ref.id));
  const partners = new Set([plan.tokenIn, plan.tokenOut, ...routingAssets.map(({ address }) => address)]);
  const inWeighted = heldInWeighted(states.pools);
  const seen = new Set<string>();
  const found = holdings.flatMap((holding) => {
    const { token, pool, holder } = holding;
    if (pool && (seen.has(pool.id) || !(partners.has(pool.token0) && partners.has(pool.token1)))) return [];
    if (pool) seen.add(pool.id);
    const own = { token, amount: holding.amount - (pool ? 0n : inWeighted(holder, token)) };
    const { worth, ...paid } = holding.counter
      ? toPaid(own, holding.counter, filled, states)
      : { ...own, worth: Number(own.amount) };
    const decimals = states.tokens.find(({ address }) => address === paid.token)?.decimals;
    if (decimals === undefined) return [];
    const held = pools.reduce((sum, { ref, state }) => {
      if (ref.token0 !== token && ref.token1 !== token) return sum;
      const zeroForOne = ref.token1 === token;
      return (
        sum + (pool ? Number(depthWithinOnePercent(state, zeroForOne)) : (toCurve(state, zeroForOne)?.reach(all) ?? 0))
      );
    }, 0);
    const share = held > 0 ? worth / held : 0;
    return share >= minShare ? [{ holding: { ...holding, ...paid }, decimals, share }] : [];
  });
  found.sort((a, b) => b.share - a.share);
  return {
    largest: found.slice(0, maxListed),
    count: found.length,
    share: found.reduce((sum, { share }) => sum + share, 0),
    unread,
  };
}

/**
 * The side of a hooked pool that counts, and its worth in base units of the plan's own token. The side that the order
 * receives counts at the price of covered pools. The other one shows what the pool pays after a small move of its price;
 * it counts at the worse of both prices, so that deposits at a price far from the market do not count.
 */
function toPaid(
  own: Amount,
  counter: NonNullable<OtherHolding['counter']>,
  { plan, amountOut }: FilledPlan,
  { pools }: StateReading,
): Amount & { worth: number } {
  const executed = Number(amountOut) / Number(plan.amountIn);
  const toTokenOut =
    counter.token === plan.tokenOut ? 1 : (deepestOf(midsOf(counter.token, plan.tokenOut, pools), 0)?.mid ?? 0);
  const isSold = own.token === plan.tokenIn;
  const unit = isSold ? toTokenOut / executed : counter.token === plan.tokenIn ? executed : toTokenOut;
  // The pool's price of the own token as a part of that of covered pools; without one, they count as equal.
  const ratio = unit > 0 ? counter.price * unit : 1;
  const ofOwn = Number(own.amount) * (isSold ? Math.min(1, ratio) : 1);
  const ofCounter = Number(counter.amount) * unit * (isSold ? 1 : Math.min(1, 1 / ratio));
  const { token, amount } = ofOwn >= ofCounter ? own : counter;
  return { token, amount, worth: Math.max(ofOwn, ofCounter) };
}

/** More than any pool takes. */
const all = 2 ** 250;

export function notCoveredFlags({ largest, count, unread }: NotCovered): Flag[] {
  if (count + unread.length === 0) return [];
  const pools = largest.map(({ holding: { venue, token, amount, pool, contract, blockNumber } }) => ({
    venue,
    ...(pool && { pool: pool.id as Hex, hooks: getAddress(pool.candidatePool.hooks) }),
    ...(contract && { pool: getAddress(contract) }),
    token: getAddress(token),
    holds: amount.toString(),
    blockNumber: blockNumber.toString(),
  }));
  const named = largest.map(({ holding: { venue, token, amount, pool, contract }, decimals }) => {
    const where = pool ? `${venue} pool ${pool.id} with the hook ${getAddress(pool.candidatePool.hooks)}` : venue;
    const holds = `which holds ${pool ? 'at least ' : ''}${Number(Number(formatUnits(amount, decimals)).toPrecision(4))}`;
    return `${where}${contract ? ` pool ${getAddress(contract)}` : ''}, ${holds} of ${getAddress(token)}`;
  });
  const more = count > pools.length ? ` and ${count - pools.length} more` : '';
  const message = [
    count > 0 && `This service cannot quote ${named.join('; ')}${more}. A better price there is possible.`,
    unread.length > 0 &&
      `Could not read what ${unread.join(', ')} ${unread.length > 1 ? 'hold' : 'holds'}, which this service cannot quote.`,
  ];
  const facts = { pools, count, unread };
  return [{ code: 'NOT_COVERED', severity: 'warn', message: message.filter(Boolean).join(' '), facts }];
}
