import { sentence } from '../context/sentence.ts';
import type { Signal } from '../pretradeTypes.ts';
import { changingTaxes } from './changingTaxes.ts';
import type { TransferFinding } from './transferFinding.ts';

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
