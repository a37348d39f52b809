import type { LowerAddress } from '../../lowerAddress.ts';
import { isConcentrated, kinds } from '../../venues/kinds.ts';
import type { UsdPrices } from '../axes/usdPrices.ts';
import type { ExitPool } from '../exit/exitTypes.ts';

/** A token without a price that sales of the checked token can reach. */
export interface ReachedToken {
  token: LowerAddress;
  /** Its measured pools: each was sold the token until the price fell to a hundredth. */
  pools: readonly ExitPool[];
}

/**
 * The tokens without a price that sales of the checked token can reach. A token with neither a path to a pricing asset nor a
 * measured pool is not listed: it pays nothing.
 */
export type Reach =
  | {
      status: 'read';
      tokens: readonly ReachedToken[];
      /** Why pools of these tokens may be missing; undefined if all were measured. */
      gap: string | undefined;
    }
  /** The search for the tokens ended early. */
  | { status: 'unread'; reason: string };

/** Pools that one value may visit. A market of many connected tokens has more paths than can be followed. */
const maxVisits = 5_000;
/** A simulated sale ends at this part of the price (`ExitSales.sol`). */
const endOfPrice = 1 / 100;

/** Bounds in USD of what an amount of a reached token pays. */
export interface ReachValue {
  /** Lower bound: a sale along the best path. */
  least(token: LowerAddress, amount: number): number;
  /** Upper bound over the whole market; undefined: unknown. */
  most(token: LowerAddress, amount: number): number | undefined;
}

type Tokens = ReadonlyMap<LowerAddress, readonly ExitPool[]>;

interface Walk {
  tokens: Tokens;
  prices: UsdPrices;
  wrapped: LowerAddress;
  visits: number;
}

/** Computes what the pools of reached tokens pay. Pure. */
export function toReachValue(
  reach: Extract<Reach, { status: 'read' }>,
  { prices, bases, wrapped }: { prices: UsdPrices; bases: readonly { token: LowerAddress }[]; wrapped: LowerAddress },
): ReachValue {
  const tokens: Tokens = new Map(reach.tokens.map(({ token, pools }) => [token, pools]));
  const unpriced = new Set(bases.map(({ token }) => token).filter((token) => !prices.has(token)));
  const isUnbounded = [...tokens.values()].some((pools) => pools.some((pool) => mayPayMore(pool, unpriced)));
  return {
    least: (token, amount) => leastOf({ tokens, prices, wrapped, visits: 0 }, token, amount, []),
    most(token, amount) {
      // The market of a base asset is not followed, so nothing shows what it pays while its feed is stale.
      if (reach.gap !== undefined || isUnbounded || unpriced.has(token)) return undefined;
      const walk = { tokens, prices, wrapped, visits: 0 };
      const usd = mostOf(walk, token, amount, []);
      return walk.visits > maxVisits ? undefined : usd;
    },
  };
}

/** Whether a pool may pay an amount that cannot be computed: its asset has no price, or its hook refused the sale. */
function mayPayMore({ status, counter, hooks, kind }: ExitPool, unpriced: ReadonlySet<LowerAddress>): boolean {
  const isSelective = BigInt(hooks) !== 0n || kind === kinds.algebra;
  return unpriced.has(counter) || (status === 'rejected' && isSelective);
}

/** The best path. Each pool pays at least in proportion to its simulated sale, because prices only fall in a sale. */
function leastOf(walk: Walk, token: LowerAddress, amount: number, before: readonly LowerAddress[]): number {
  let best = 0;
  for (const pool of walk.tokens.get(token) ?? []) {
    if (before.includes(pool.counter) || walk.visits > maxVisits) continue;
    walk.visits += 1;
    const out = leastOut(pool, amount);
    if (out === 0) continue;
    const price = walk.prices.get(pool.counter);
    best = Math.max(best, price ? out * price.usdPerUnit : leastOf(walk, pool.counter, out, [...before, token]));
  }
  return best;
}

/** The sum over all pools, as if each received the whole amount. */
function mostOf(walk: Walk, token: LowerAddress, amount: number, before: readonly LowerAddress[]): number {
  const outputs = new Map<LowerAddress, number>();
  for (const pool of walk.tokens.get(token) ?? []) {
    if (before.includes(pool.counter) || walk.visits > maxVisits) continue;
    walk.visits += 1;
    outputs.set(pool.counter, (outputs.get(pool.counter) ?? 0) + mostOut(pool, token, amount, walk.wrapped));
  }
  let sum = 0;
  for (const [counter, out] of outputs) {
    if (out === 0) continue;
    const price = walk.prices.get(counter);
    sum += price ? out * price.usdPerUnit : mostOf(walk, counter, out, [...before, token]);
  }
  return sum;
}

function leastOut(pool: ExitPool, amount: number): number {
  const [drawn, used] = [Number(pool.drawn), Number(pool.used)];
  if (drawn === 0 || used === 0) return 0;
  if (pool.kind === kinds.v2) {
    const afterFee = amount * (1 - pool.fee / 1e6);
    return (afterFee * Number(pool.other)) / (Number(pool.price) + afterFee);
  }
  return amount >= used ? drawn : (drawn * amount) / used;
}

/** Prices only fall in a sale, so no amount pays more than at the first price, or beyond the simulated sale at its last. */
function mostOut(pool: ExitPool, token: LowerAddress, amount: number, wrapped: LowerAddress): number {
  const cap = pool.most === undefined ? Number.POSITIVE_INFINITY : Number(pool.most);
  if (!isConcentrated(pool.kind)) {
    if (pool.drawn === 0n) return 0;
    const [reserve, other] = [Number(pool.price), Number(pool.other)];
    return pool.kind === kinds.v2 ? (amount * other) / (reserve + amount) : other;
  }
  // The pool may hold the counter-asset below the price at which the simulated sale stopped.
  if (pool.drawn === 0n) return pool.status === 'empty' ? 0 : cap;
  const price = priceOf(pool, token, wrapped);
  const beyond = Math.max(0, amount - Number(pool.used)) * price * endOfPrice;
  return Math.min(cap, amount * price, Number(pool.drawn) + beyond);
}

/** Base units of the counter-asset for one of the token, without a fee. */
function priceOf({ price, kind, counter }: ExitPool, token: LowerAddress, wrapped: LowerAddress): number {
  const squared = (Number(price) / 2 ** 96) ** 2;
  const isNative = kind === kinds.v4Native && counter === wrapped;
  return !isNative && BigInt(token) < BigInt(counter) ? squared : 1 / squared;
}

/**
 * Upper bound in USD of what sales of any size can draw from these pools; null if it is unknown. An asset without a price
 * counts as what the whole amount in the pools could draw through its own market.
 */
export function atMostUsd(exits: readonly ExitPool[], prices: UsdPrices, reach: ReachValue | undefined): number | null {
  let sum = 0;
  const unpriced = new Map<LowerAddress, number>();
  for (const { counter, most, drawn, status } of exits) {
    if (most === undefined || status === 'unread' || status === 'not-requested') return null;
    const price = prices.get(counter);
    if (price) sum += Number(most) * price.usdPerUnit;
    else if (most > 0n || drawn > 0n) unpriced.set(counter, (unpriced.get(counter) ?? 0) + Number(most));
  }
  for (const [counter, amount] of unpriced) {
    const usd = reach?.most(counter, amount);
    if (usd === undefined) return null;
    sum += usd;
  }
  return Number.isFinite(sum) ? sum : null;
}
