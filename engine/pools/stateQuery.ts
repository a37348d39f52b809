import type { Address } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import type { Deployment } from '../venues/venueTypes.ts';

/** A token, and the order's value in its base units. If the value is unknown, more ticks are read. */
interface StateToken {
  address: LowerAddress;
  worth?: bigint | undefined;
}

/** Two tokens by their index, and which of them a route may sell to the other. */
export interface StatePair {
  a: number;
  b: number;
  sells: 'a' | 'b' | 'both';
}

/** A pool known from logs, an index or an earlier read. */
export interface KnownPool {
  ref: PoolRef;
  /** The tokens that a route may sell to it. */
  sells: 'token0' | 'token1' | 'both';
  /** Maximum number of initialised ticks to read in one direction, if the default was too low. */
  ticks?: number | undefined;
  /** The tick spacing, or the decimals of a stable pair, from an earlier read (`spacingOf`). The lens does not read them again. */
  spacing?: number | undefined;
  /** Indices of its pair and of the candidate pool, if a look-up found it. */
  location?: { pair: number; candidatePool: number } | undefined;
}

/** A sale to execute on the routes of the highest computed output, in the same call (contracts/lens/RouteTrials.sol). */
export interface RouteTrial {
  /** The executor, or the address of the plan lens in the call. */
  lens: Address;
  /** Each holds `amount` of the token sold and approved it. */
  payer: Address;
  secondPayer: Address;
  amount: bigint;
}

/** The input of one call of the state lens. */
export interface StateQuery {
  /** The token sold, the token bought, the routing assets, then the others. */
  tokens: readonly StateToken[];
  /** The number of tokens without these others. Anyone can deploy those, so their pools are read last. */
  listedCount: number;
  /** All candidate pools of each are looked up. */
  pairs: readonly StatePair[];
  known: readonly KnownPool[];
  /** How many of `known`, from the first, are read before the pairs. */
  earlyCount: number;
  /** USD feeds. */
  feeds: readonly LowerAddress[];
  /** Maximum number of initialised ticks to read of a pool in one direction. */
  ticks: number;
  trial?: RouteTrial | undefined;
}

/** A trade whose market is read. */
export interface MarketQuery {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  known?: readonly KnownPool[];
  feeds?: readonly LowerAddress[];
  ticks?: number;
  /** The order's value in base units of a token, keyed by its address. */
  worth?: ReadonlyMap<LowerAddress, bigint>;
  /** Reads only `known`, without look-ups. */
  onlyKnown?: boolean;
  /** Ignored with `onlyKnown`. */
  trial?: RouteTrial | undefined;
}

/**
 * Enough for most pools within 2.5 % of their price. A pool of tick spacing 1 can have 250: `KnownPool.ticks` reads
 * more.
 */
const defaultTickLimit = 128;

/** All pairs that a route of up to three hops over the routing assets may use. */
export function toStateQuery(deployment: Deployment, query: MarketQuery): StateQuery {
  const { known = [], feeds = [], ticks = defaultTickLimit, worth, onlyKnown = false, trial } = query;
  const addresses = [query.tokenIn, query.tokenOut];
  const own = new Set(addresses);
  const bases = deployment.routingAssets.map(({ address }) => address).filter((address) => !own.has(address));
  const others = new Set(known.flatMap(({ ref }) => [ref.token0, ref.token1]));
  const listed = [...new Set([...addresses, ...bases, ...others])];
  const tokens = listed.map((address) => ({ address, worth: worth?.get(address) }));
  const counters = onlyKnown ? [] : counterPairs(listed, bases, known, deployment);
  const pairs = onlyKnown ? [] : [...toPairs(bases.length), ...counters];
  const listedCount = 2 + bases.length;
  const ordered = listedFirst({ tokens, listedCount }, known);
  return {
    tokens,
    listedCount,
    pairs,
    ...ordered,
    feeds,
    ticks,
    // A trial needs the pairs of the token sold before all other pools, so there is none beside unlisted tokens.
    trial: onlyKnown || counters.length > 0 ? undefined : trial,
  };
}

/** Returns whether both tokens of a pool are the query's or routing assets. */
export function listedBy({ tokens, listedCount }: Pick<StateQuery, 'tokens' | 'listedCount'>) {
  const others = new Set(tokens.slice(listedCount).map(({ address }) => address));
  return ({ token0, token1 }: Pick<PoolRef, 'token0' | 'token1'>) => !others.has(token0) && !others.has(token1);
}

/** Pools of unlisted tokens last, and all others before the pairs: reads of an attacker's token can burn their gas. */
export function listedFirst(
  query: Pick<StateQuery, 'tokens' | 'listedCount'>,
  known: readonly KnownPool[],
): Pick<StateQuery, 'known' | 'earlyCount'> {
  if (query.listedCount === query.tokens.length) return { known, earlyCount: 0 };
  const isListed = listedBy(query);
  const first = known.filter(({ ref }) => isListed(ref));
  return { known: [...first, ...known.filter(({ ref }) => !isListed(ref))], earlyCount: first.length };
}

/**
 * Pairs of each counter-asset that is not a routing asset: with the other token of the query, the wrapped native coin
 * and USDC. Without them no route continues from the counter-asset.
 */
function counterPairs(
  tokens: readonly LowerAddress[],
  bases: readonly LowerAddress[],
  known: readonly KnownPool[],
  { wrappedNative, usdc }: Deployment,
): StatePair[] {
  const hubs = [...new Set([wrappedNative, usdc])].flatMap((hub) => (bases.includes(hub) ? [tokens.indexOf(hub)] : []));
  const joins = (one: number, other: number) =>
    known.some(({ ref: { token0, token1 } }) =>
      [token0, token1].every((token) => [tokens[one], tokens[other]].includes(token)),
    );
  const pairs: StatePair[] = [];
  for (let counter = 2 + bases.length; counter < tokens.length; counter += 1) {
    const [soldFor, boughtWith] = [joins(0, counter), joins(counter, 1)];
    if (soldFor) pairs.push({ a: counter, b: 1, sells: 'a' });
    if (boughtWith) pairs.push({ a: 0, b: counter, sells: 'a' });
    // One pair for both directions: two pairs would count its pools twice.
    const sells = soldFor && boughtWith ? 'both' : soldFor ? 'a' : 'b';
    if (soldFor || boughtWith) pairs.push(...hubs.map((b): StatePair => ({ a: counter, b, sells })));
  }
  return pairs;
}

/** Token 0 is sold, token 1 bought; the routing assets follow. */
function toPairs(bases: number): StatePair[] {
  const indices = Array.from({ length: bases }, (_, index) => index + 2);
  return [
    { a: 0, b: 1, sells: 'a' as const },
    ...indices.map((b) => ({ a: 0, b, sells: 'a' as const })),
    ...indices.map((a) => ({ a, b: 1, sells: 'a' as const })),
    ...indices.flatMap((a) => indices.filter((b) => b > a).map((b) => ({ a, b, sells: 'both' as const }))),
  ];
}
