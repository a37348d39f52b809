import type { Confidence } from '../quote/quoteTypes.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { Verdict } from './pretradeTypes.ts';

export interface ConfidenceFacts {
  verdict: Verdict;
  axesReporting: number;
  axesExpected: number;
  conclusive: boolean;
  /** A stored holder value stands in for one that could not be read. */
  stale: boolean;
  /** The latest available block is over ten minutes old. */
  oldBlock: boolean;
  /** A simulated sale is refused at the usual or at a larger tip, or is taxed almost completely. No trigger covers this. */
  saleBlocked: boolean;
  /** Trades could not be simulated on this call, or not as completely as usual (`tradeGapOf`). */
  tradesUnread: boolean;
}

/** A sale tax above this leaves the seller nothing worth the trade. */
const blockingSellTax = 0.95;

type BlockingFacts = Pick<
  TransferFinding,
  'outcome' | 'sellTax' | 'sellTaxes' | 'taxBySize' | 'usualGasTax' | 'largerTipCanSell' | 'laterBlockTax'
>;

export function isSaleBlocked({ outcome, sellTaxes, taxBySize, largerTipCanSell, ...taxes }: BlockingFacts): boolean {
  const { sellTax, usualGasTax, laterBlockTax } = taxes;
  const sales = [sellTax, sellTaxes.day?.tax, taxBySize?.small, usualGasTax, laterBlockTax];
  const isTaxed = sales.some((tax) => (tax ?? 0) > blockingSellTax);
  return outcome === 'sale-blocked' || largerTipCanSell === false || isTaxed;
}

/**
 * `avoid` has high confidence, because its trigger is proven. The confidence of `clear` is the completeness of the check.
 * It is low if a simulated sale fails: a trap that is not a trigger lowers the confidence.
 */
export function confidenceOf(facts: ConfidenceFacts): Confidence {
  const { verdict, axesReporting, axesExpected, conclusive, stale, oldBlock, saleBlocked, tradesUnread } = facts;
  if (verdict === 'avoid') return 'high';
  if (stale || oldBlock || saleBlocked || tradesUnread) return 'low';
  if (axesReporting === axesExpected) return conclusive ? 'high' : 'medium';
  if (axesReporting === axesExpected - 1 && conclusive) return 'medium';
  return 'low';
}
