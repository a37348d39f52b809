import type { TransferFinding } from '../axes/transferFinding.ts';

/** Shares may differ by rounding between trades of different amounts; both are measured, and the newer one is reported. */
const tolerance = 5e-4;

/**
 * Whether a new finding states the same facts as an earlier one. Pools that only one of them measured are not compared.
 * `lost` is an amount, which follows the size of the trade.
 */
export function agree({ perPool: pools, ...rest }: TransferFinding, earlier: TransferFinding): boolean {
  const { perPool: before, ...restBefore } = earlier;
  const both = pools.flatMap((found) => {
    const known = before.find(({ pool }) => pool === found.pool);
    return known ? [same(found, known)] : [];
  });
  return same(rest, restBefore) && both.every(Boolean);
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < tolerance;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => key === 'lost' || same(value, right.get(key)));
}
