import type { LowerAddress } from '../lowerAddress.ts';
import { Memory } from '../memory.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { PoolStatus } from '../venues/poolEntry.ts';
import type { Pool, PoolRef, PoolState } from '../venues/poolTypes.ts';
import type { PairStatuses, StateReading } from './decodeStates.ts';
import { type KnownPool, listedBy, listedFirst, type StatePair, type StateQuery } from './stateQuery.ts';

/** Result of a look-up of all candidate pools of two tokens. */
interface FoundPair {
  /** In the order of the candidate pools. */
  statuses: readonly PoolStatus[];
  /** Every pool that exists, empty and thin ones included, with its index among the candidate pools. */
  pools: readonly { ref: PoolRef; candidatePool: number }[];
  /** In milliseconds. */
  foundAt: number;
}

/**
 * The last look-up of each pair: markets share the pairs of the routing assets, and querying all factories for them is most
 * of a node's work.
 */
export type PairMemory = Memory<string, FoundPair>;

/** A new pool is found after at most this time, or at once if there is no route without it. */
export const locationsKeptMs = 60_000;
const maxPairs = 4_096;

export const createPairMemory = (now: () => number): PairMemory =>
  new Memory({ maxEntries: maxPairs, keptMs: locationsKeptMs, now });

export const pairKey = (a: LowerAddress, b: LowerAddress): string => (a < b ? `${a}${b}` : `${b}${a}`);

/** Pools of a market, each with its pair and its index among the candidate pools. */
export interface PoolLocations {
  /** Every pool that exists, empty and thin ones included, and the known pools of the query. */
  known: readonly KnownPool[];
  pairs: readonly PairStatuses[];
  /** Time of the oldest look-up, in milliseconds. */
  foundAt: number;
}

/** A query whose remembered pairs are not looked up again. */
export interface RecalledQuery {
  /** The query without these pairs; `known` contains their pools. */
  remaining: StateQuery;
  /** The locations of these pools. Their pairs follow those of `remaining`. */
  locations: PoolLocations;
}

/** Undefined if no pair of the query is remembered. */
export function recallPairs(query: StateQuery, memory: PairMemory): RecalledQuery | undefined {
  const address = (index: number) => query.tokens[index]?.address ?? '0x';
  const missing: StatePair[] = [];
  const recalled: { pair: StatePair; found: FoundPair }[] = [];
  for (const pair of query.pairs) {
    const found = memory.get(pairKey(address(pair.a), address(pair.b)));
    if (found) recalled.push({ pair, found });
    else missing.push(pair);
  }
  if (recalled.length === 0) return undefined;
  const known = recalled.flatMap(({ pair, found }, at) =>
    found.pools.map(({ ref, candidatePool }): KnownPool & { isSold: boolean } => ({
      ref,
      sells: pair.sells !== 'a' ? 'both' : ref.token0 === address(pair.a) ? 'token0' : 'token1',
      location: { pair: missing.length + at, candidatePool },
      isSold: pair.a === 0,
    })),
  );
  // The trial's routes start with the pools of the token sold, so these are read first.
  const [sold, others] = [known.filter(({ isSold }) => isSold), known.filter(({ isSold }) => !isSold)];
  const all = [...sold, ...others, ...query.known];
  const ordered = query.trial ? { known: all, earlyCount: sold.length } : listedFirst(query, all);
  return {
    remaining: { ...query, pairs: missing, ...ordered },
    locations: {
      known,
      pairs: recalled.map(({ pair, found }) => ({
        a: address(pair.a),
        b: address(pair.b),
        statuses: [...found.statuses],
      })),
      foundAt: Math.min(...recalled.map(({ found }) => found.foundAt)),
    },
  };
}

/** Stores the results of the query's look-ups. */
export function rememberPairs(
  { pairs }: StateQuery,
  locations: PoolLocations | undefined,
  memory: PairMemory,
  foundAt: number,
): void {
  for (const [index, { a, b, statuses }] of (locations?.pairs ?? []).slice(0, pairs.length).entries()) {
    const pools = locations?.known.flatMap(({ ref, location }) =>
      location?.pair === index ? [{ ref, candidatePool: location.candidatePool }] : [],
    );
    memory.set(pairKey(a, b), { statuses, pools: pools ?? [], foundAt });
  }
}

/**
 * The locations of a reading's pools, without unread ones of unlisted tokens: their reads burn gas. Undefined if a factory
 * could not be read: its pools are unknown.
 */
export function toPoolLocations(
  { pools, unread, pairs }: StateReading,
  query: StateQuery,
  candidatePools: readonly CandidatePool[],
  foundAt: number,
): PoolLocations | undefined {
  const candidatePoolOf = new Map(candidatePools.map((candidatePool, index) => [candidatePool, index]));
  const pairOf = new Map(pairs.flatMap(({ a, b }, index) => [`${a}${b}`, `${b}${a}`].map((key) => [key, index])));
  const toKnown = (ref: PoolRef): KnownPool => {
    const [pair, candidatePool] = [pairOf.get(`${ref.token0}${ref.token1}`), candidatePoolOf.get(ref.candidatePool)];
    const named = query.known.find((known) => known.ref === ref);
    if (named || pair === undefined || candidatePool === undefined) return named ?? { ref, sells: 'both' };
    const requested = query.pairs[pair];
    const sells = requested?.sells !== 'a' ? 'both' : ref.token0 === pairs[pair]?.a ? 'token0' : 'token1';
    return { ref, sells, location: { pair, candidatePool } };
  };
  const isListed = listedBy(query);
  const readable = unread.filter(({ ref, status }) => status !== 'unread' || isListed(ref));
  const existing = [
    ...pools.map(({ ref, state }) => ({ ...toKnown(ref), spacing: spacingOf(state) })),
    ...readable.map(({ ref }) => toKnown(ref)),
  ];
  const ids = new Set(existing.map(({ ref }) => ref.id));
  const known = [...existing, ...query.known.filter(({ ref }) => !ids.has(ref.id))];
  const found = new Set(
    known.flatMap(({ location }) => (location ? [`${location.pair} ${location.candidatePool}`] : [])),
  );
  const isUnknown = pairs.some(
    ({ a, b, statuses }, pair) =>
      isListed({ token0: a, token1: b }) &&
      statuses.some((status, candidatePool) => status === 'unread' && !found.has(`${pair} ${candidatePool}`)),
  );
  return isUnknown ? undefined : { known, pairs, foundAt };
}

/**
 * The field `spacing` of `PoolInput` (contracts/lens/StateTypes.sol) for what a state contains and the lens would read again:
 * the tick spacing, or the decimals of a stable pair's tokens, 8 bits each. Undefined if there is none. Of Algebra's pools the
 * lens ignores it, because their owner can change it.
 */
export function spacingOf(state: PoolState): number | undefined {
  if (state.kind === 'concentrated') return state.tickSpacing;
  if (state.kind !== 'stable' || state.rule !== 'solidly') return undefined;
  const [decimals0, decimals1] = [decimalsOf(state.unit0), decimalsOf(state.unit1)];
  return decimals0 === undefined || decimals1 === undefined ? undefined : decimals0 | (decimals1 << 8);
}

/** Undefined if the unit is not a power of ten. */
function decimalsOf(unit: bigint): number | undefined {
  const decimals = unit.toString().length - 1;
  return unit === 10n ** BigInt(decimals) ? decimals : undefined;
}

/** A reading of known pools with the statuses of all candidate pools. A pool that was not read counts as unread. */
export function withStatuses(reading: StateReading, { known, pairs }: PoolLocations): StateReading {
  const statuses = pairs.map((pair) => ({ ...pair, statuses: [...pair.statuses] }));
  const states = new Map<PoolRef, Pool>(reading.pools.map((pool) => [pool.ref, pool]));
  const unread = new Map(reading.unread.map((pool) => [pool.ref, pool.status]));
  for (const { ref, location } of known) {
    const own = location && statuses[location.pair]?.statuses;
    if (own) own[location.candidatePool] = states.has(ref) ? 'filled' : (unread.get(ref) ?? 'unread');
  }
  return { ...reading, pairs: statuses };
}
