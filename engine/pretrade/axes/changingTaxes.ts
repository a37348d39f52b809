import { sentence } from '../context/sentence.ts';
import type { Signal } from '../pretradeTypes.ts';
import { buyTaxOf, type Ran, saleTaxAt } from './tradeSteps.ts';
import type { TimedTax, TransferFinding } from './transferFinding.ts';

/** Rounding and reflection cause smaller differences than this fraction. */
const taxStep = 0.01;

/** The time of the sale between the next block and a day. Seconds and blocks are both simulated: none follows from the other. */
export const aMinute = 'a minute (at least 60 simulated blocks)';
/** The time of the latest sale. A simulation can advance the time at will, but the block number by 256 at most. */
export const aDay = 'a day (at least 128 simulated blocks)';

/** Whether two sales lost the same amount: a flat fee is a different part of each sale. */
const isFlat = (a: TimedTax, b: TimedTax) => a.lost * 100n > b.lost * 98n && a.lost * 98n < b.lost * 100n;

/** Whether two sales were taxed differently. */
export const differs = (a: TimedTax, b: TimedTax): boolean => Math.abs(a.tax - b.tax) > taxStep && !isFlat(a, b);

/**
 * The taxes of two sales of different sizes, if they differ. The small wallet sold before: a tax that its earlier sale
 * lacks depends on the number of sales or on time.
 */
export function taxBySize(
  requested: TimedTax | null,
  small: TimedTax | null,
  smallBefore: TimedTax | null,
): TransferFinding['taxBySize'] {
  if (!requested || !small || !differs(requested, small)) return null;
  return smallBefore && differs(smallBefore, small) ? null : { requested: requested.tax, small: small.tax };
}

/** The tax of a sale if it is higher than those of all others. */
export function higherTax(sale: TimedTax | null, others: readonly (TimedTax | null)[]): number | null {
  const known = others.filter((other) => other !== null);
  const isHigher = known.length > 0 && known.every((other) => sale && differs(sale, other) && sale.tax > other.tax);
  return sale && isHigher ? sale.tax : null;
}

/**
 * The tax of another kind of wallet that makes the ordinary wallet's trades, if its purchase or sale is taxed more;
 * otherwise null.
 */
export function taxOfVariant(variant: Ran | undefined, ordinary: Ran | undefined): number | null {
  if (!variant || !ordinary) return null;
  const [purchase, usual] = [buyTaxOf(variant), buyTaxOf(ordinary)];
  const isPurchaseHigher = purchase !== null && usual !== null && purchase - usual > taxStep;
  const sale = higherTax(saleTaxAt(variant, 'later'), [saleTaxAt(ordinary, 'later')]);
  if (!isPurchaseHigher) return sale;
  return sale === null ? purchase : Math.max(purchase, sale);
}

interface SaleTax {
  /** Fraction of the sale. */
  tax: number;
  /** Time of the sale, in words. */
  when: string;
}

/**
 * The sale taxes in order of time, if they depend on how long a buyer waits: launch taxes, and taxes on early sellers.
 * Empty if they do not, or if fewer than two were measured.
 */
export function changingTaxes({ sellTaxes: { next, later, day } }: Pick<TransferFinding, 'sellTaxes'>): SaleTax[] {
  const known = [
    { sale: next, when: 'in the block after the purchase' },
    { sale: later, when: `${aMinute} later` },
    { sale: day, when: `${aDay} later` },
  ].flatMap(({ sale, when }) => (sale ? [{ ...sale, when }] : []));
  const taxes = known.map(({ tax }) => tax);
  if (known.length < 2 || Math.max(...taxes) - Math.min(...taxes) <= taxStep) return [];
  const [first] = known;
  if (first && known.every((sale) => isFlat(sale, first))) return [];
  return known.map(({ tax, when }) => ({ tax, when }));
}

const purchaseTimes = [
  ['purchase', 'now'],
  ['later', 'after a minute'],
  ['tenMinutes', 'after ten minutes'],
  ['day', 'after a day'],
] as const;

/** Taxes of purchases of the same size in order of time, if they depend on it; otherwise empty. */
export function changingPurchases(trips: Ran | undefined): TransferFinding['buyTaxes'] {
  const known = purchaseTimes.flatMap(([at, when]) => {
    const tax = trips ? buyTaxOf(trips, at) : null;
    return tax === null ? [] : [{ tax, when }];
  });
  const taxes = known.map(({ tax }) => tax);
  return known.length > 1 && Math.max(...taxes) - Math.min(...taxes) > taxStep ? known : [];
}

/** Adds the loss of a sale in a block that no simulated trade reaches, if it exceeds that of the simulated sales. */
export function withLaterSale(finding: TransferFinding, loss: number | null): TransferFinding {
  const simulated = Math.max(0, finding.sellTax ?? 0, finding.sellTaxes.day?.tax ?? 0);
  if (loss === null || loss <= simulated + taxStep) return finding;
  const sentence = `In a block a day later, the same sale pays ${(loss * 100).toFixed(1)} % less: the pool’s hook then takes a larger part.`;
  return { ...finding, laterBlockTax: loss, observations: [...finding.observations, sentence] };
}

/** A tax above this fraction has a severity other than none, and is a reason. */
export const remarkableTax = 0.005;

/**
 * F-FOT: the largest measured tax as a fraction, including that of a sale right after the purchase; 1 if a sale is proven
 * impossible.
 */
export function feeSignal(finding: TransferFinding): Signal {
  const base = { unit: 'fraction', cachedAgeSec: null } as const;
  if (finding.outcome === 'sale-blocked') {
    const sales = finding.largerTipCanSell ? 'sale at the usual tip' : 'sale by an ordinary wallet';
    return { ...base, severity: 'high', value: 1, reason: `No simulated ${sales} works.` };
  }
  const taxes = [finding.buyTax, finding.sellTax].filter((tax) => tax !== null);
  if (finding.sellTax === null || taxes.length === 0) {
    const reason = finding.gaps[0] ?? 'no sale could be simulated';
    return { ...base, severity: 'unknown', value: null, reason: sentence(`Transfer tax is unavailable: ${reason}`) };
  }
  /** Further taxes, with what they depend on. */
  const others = [
    { cause: 'block', tax: finding.laterBlockTax },
    { cause: 'amount', tax: finding.taxBySize?.small ?? null },
    { cause: 'tip or gas limit', tax: finding.usualGasTax },
    ...finding.buyTaxes.map(({ tax }) => ({ cause: 'time', tax })),
    ...changingTaxes(finding).map(({ tax }) => ({ cause: 'time since the purchase', tax })),
  ];
  const value = Math.max(...taxes, ...others.flatMap(({ tax }) => tax ?? []));
  const severity = value > 0.15 ? 'high' : value > 0.05 ? 'medium' : value > remarkableTax ? 'low' : 'none';
  const cause = others.find(({ tax }) => tax === value)?.cause;
  const reason = taxes.includes(value)
    ? 'The larger of purchase and sale tax, measured by simulated trades.'
    : `The largest tax of simulated ${finding.buyTaxes.some(({ tax }) => tax === value) ? 'purchases' : 'sales'}. It depends on the ${cause}.`;
  return { ...base, severity, value, reason };
}
