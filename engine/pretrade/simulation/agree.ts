import type { TransferFinding } from '../axes/transferFinding.ts';

/** Percent by which round trips may differ: in a shared simulation, other wallets moved the price. */
const tripTolerance = 0.5;
/** Measured shares may differ by rounding if the amounts of the trades differ. */
const tolerance = 5e-4;

/**
 * Whether a new finding has the same facts as an earlier one. Pools that only one of them measured are not compared, nor
 * is `lost`, an amount that depends on the size of the trade.
 */
export function agree({ perPool: pools, ...rest }: TransferFinding, earlier: TransferFinding): boolean {
  const { perPool: before, ...restBefore } = earlier;
  const both = pools.flatMap((found) => {
    const known = before.find(({ pool }) => pool === found.pool);
    return known ? [same(found, known)] : [];
  });
  return same(withoutTrip(rest), withoutTrip(restBefore)) && sameTrip(rest, restBefore) && both.every(Boolean);
}

type Trip = Pick<TransferFinding, 'roundTripPct'>;

const withoutTrip = ({ roundTripPct: _, ...rest }: Trip) => rest;

const sameTrip = ({ roundTripPct: a }: Trip, { roundTripPct: b }: Trip): boolean =>
  a === null || b === null ? a === b : Math.abs(a - b) < tripTolerance;

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < tolerance;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => key === 'lost' || same(value, right.get(key)));
}
