import type { Confidence } from '../quote/quoteTypes.ts';
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
  /** A sale by an ordinary wallet fails, or its tax is all of it: proven, though not a trigger. */
  saleBlocked: boolean;
}

/** A sale tax above this leaves the seller nothing worth the trade. */
const blockingSellTax = 0.95;

export function isSaleBlocked({ outcome, sellTax }: { outcome: string; sellTax: number | null }): boolean {
  return outcome === 'sale-blocked' || (sellTax ?? 0) > blockingSellTax;
}

/**
 * On avoid: high, because the trigger is proven. On clear: the completeness of the check. Low if a simulated sale fails: a
 * trap that is not a trigger lowers the confidence.
 */
export function confidenceOf(facts: ConfidenceFacts): Confidence {
  const { verdict, axesReporting, axesExpected, conclusive, stale, oldBlock, saleBlocked } = facts;
  if (verdict === 'avoid') return 'high';
  if (stale || oldBlock || saleBlocked) return 'low';
  if (axesReporting === axesExpected) return conclusive ? 'high' : 'medium';
  if (axesReporting === axesExpected - 1 && conclusive) return 'medium';
  return 'low';
}
