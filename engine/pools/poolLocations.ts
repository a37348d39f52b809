import type { Slot } from '../venues/slot.ts';
import type { PairStatuses, StateReading } from './decodeStates.ts';
import type { Pool, PoolRef } from './poolTypes.ts';
import type { KnownPool, StateQuestion } from './stateQuestion.ts';

/** Pools of a market, and the pair and slot in which a look-up in all rows of the chain found each. */
export interface PoolLocations {
  /** Every pool that exists, empty and thin ones included, and those that the question named. */
  known: readonly KnownPool[];
  pairs: readonly PairStatuses[];
}

/** Undefined if a factory could not be read: its pools are unknown. */
export function toPoolLocations(
  { pools, unread, pairs }: StateReading,
  question: StateQuestion,
  slots: readonly Slot[],
): PoolLocations | undefined {
  const slotOf = new Map(slots.map((slot, index) => [slot, index]));
  const pairOf = new Map(pairs.flatMap(({ a, b }, index) => [`${a}${b}`, `${b}${a}`].map((key) => [key, index])));
  const toKnown = (ref: PoolRef): KnownPool => {
    const [pair, slot] = [pairOf.get(`${ref.token0}${ref.token1}`), slotOf.get(ref.slot)];
    const named = question.known.find((known) => known.ref === ref);
    if (named || pair === undefined || slot === undefined) return named ?? { ref, sells: 'both' };
    const asked = question.pairs[pair];
    const sells = asked?.sells !== 'a' ? 'both' : ref.token0 === pairs[pair]?.a ? 'token0' : 'token1';
    return { ref, sells, location: { pair, slot } };
  };
  const existing = [...pools, ...unread].map(({ ref }) => toKnown(ref));
  const ids = new Set(existing.map(({ ref }) => ref.id));
  const known = [...existing, ...question.known.filter(({ ref }) => !ids.has(ref.id))];
  const found = new Set(known.flatMap(({ location }) => (location ? [`${location.pair} ${location.slot}`] : [])));
  const isUnknown = pairs.some(({ statuses }, pair) =>
    statuses.some((status, slot) => status === 'unread' && !found.has(`${pair} ${slot}`)),
  );
  return isUnknown ? undefined : { known, pairs };
}

/** A reading of known pools with the statuses of all slots. A pool that was not read counts as unread. */
export function withStatuses(reading: StateReading, { known, pairs }: PoolLocations): StateReading {
  const statuses = pairs.map((pair) => ({ ...pair, statuses: [...pair.statuses] }));
  const states = new Map<PoolRef, Pool>(reading.pools.map((pool) => [pool.ref, pool]));
  const unread = new Map(reading.unread.map((pool) => [pool.ref, pool.status]));
  for (const { ref, location } of known) {
    const own = location && statuses[location.pair]?.statuses;
    if (own) own[location.slot] = states.has(ref) ? 'filled' : (unread.get(ref) ?? 'unread');
  }
  return { ...reading, pairs: statuses };
}
