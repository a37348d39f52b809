import type { TransferFinding } from './transferFinding.ts';

/** A larger difference than rounding and reflection can cause. */
const taxStep = 0.01;

/** The time of the latest sale. A simulation can advance the time at will, but the block number by 256 at most. */
export const aDay = 'a day (128 simulated blocks)';

interface SaleTax {
  /** Fraction. */
  tax: number;
  /** Time of the sale. */
  when: string;
}

/**
 * The sale taxes in order of time, if they depend on how long a buyer waits: launch taxes, and taxes on early sellers.
 * Empty if they do not, or if fewer than two were measured.
 */
export function changingTaxes({ sellTaxes: { next, later, day } }: Pick<TransferFinding, 'sellTaxes'>): SaleTax[] {
  const known = [
    { sale: next, when: 'in the block after the purchase' },
    { sale: later, when: 'about 60 blocks later' },
    { sale: day, when: `${aDay} later` },
  ].flatMap(({ sale, when }) => (sale ? [{ ...sale, when }] : []));
  const taxes = known.map(({ tax }) => tax);
  if (known.length < 2 || Math.max(...taxes) - Math.min(...taxes) <= taxStep) return [];
  // The sales differ in size, so a flat fee is the same amount but a different part of each.
  const [first] = known;
  if (first && known.every(({ lost }) => lost * 100n > first.lost * 98n && lost * 98n < first.lost * 100n)) return [];
  return known.map(({ tax, when }) => ({ tax, when }));
}
