import type { Confidence } from '../quoteTypes.ts';

/** Inputs of the confidence rules. */
export interface Evidence {
  /** The latest available block is over ten minutes old. */
  oldBlock: boolean;
  routed: boolean;
  venueUnread: boolean;
  /** The factories' logs could not be read, so pools outside the lists may be missing. */
  poolsMayBeMissing: boolean;
  hasMid: boolean;
  impactBps: number | null;
  /** How much less the second best route pays than the best; null if none pays at least half. */
  disagreementBps: number | null;
  taxUnmeasurable: boolean;
  /** How far the USD price that sized the order is from the deepest pool's; null if they agree or are unknown. */
  usdDisputedBps: number | null;
  /** What pools and venues that are not quoted hold, as a part of what the plan's pools hold. */
  notCoveredShare: number;
  /** What some of them hold could not be read. */
  notCoveredUnread: boolean;
}

/** The evidence without a route, except for what is known about venues and the block. */
export const unrouted = {
  routed: false,
  hasMid: false,
  impactBps: null,
  disagreementBps: null,
  taxUnmeasurable: false,
  usdDisputedBps: null,
  notCoveredShare: 0,
  notCoveredUnread: false,
} satisfies Partial<Evidence>;

const agreeingBps = 200;
const deepBps = 100;
const heavyBps = 1000;
const heavyDisputeBps = 1000;
const largeShare = 0.1;

/** The rules in order of precedence: the first one that applies decides. /guides/quote prints this table. */
export const confidenceRules: readonly { when: string; gives: Confidence; applies(evidence: Evidence): boolean }[] = [
  { when: 'the latest available block is over ten minutes old', gives: 'low', applies: (e) => e.oldBlock },
  { when: 'a venue could not be read', gives: 'low', applies: (e) => e.venueUnread },
  {
    when: "no route, and the factories' logs could not be read",
    gives: 'low',
    applies: (e) => !e.routed && e.poolsMayBeMissing,
  },
  { when: 'no route, and every venue answered', gives: 'medium', applies: (e) => !e.routed },
  { when: 'there is no reliable mid', gives: 'low', applies: (e) => !e.hasMid },
  { when: 'the price impact is over 10 %', gives: 'low', applies: (e) => (e.impactBps ?? 0) > heavyBps },
  { when: 'a transfer tax could not be measured', gives: 'low', applies: (e) => e.taxUnmeasurable },
  {
    when: 'the USD price of tokenIn differs from that of its deepest pool by over 10 %',
    gives: 'low',
    applies: (e) => (e.usdDisputedBps ?? 0) > heavyDisputeBps,
  },
  {
    when: "pools that cannot be quoted hold more than a tenth of what the plan's pools hold",
    gives: 'medium',
    applies: (e) => e.notCoveredShare > largeShare,
  },
  {
    when: "the factories' logs could not be read, so pools may be missing",
    gives: 'medium',
    applies: (e) => e.poolsMayBeMissing,
  },
  {
    when: 'it could not be read how much pools hold that cannot be quoted',
    gives: 'medium',
    applies: (e) => e.notCoveredUnread,
  },
  {
    when: 'the two best independent routes agree within 2 %',
    gives: 'high',
    applies: (e) => e.disagreementBps !== null && e.disagreementBps <= agreeingBps,
  },
  {
    when: 'no other route pays even half, and the impact is below 1 %',
    gives: 'high',
    applies: (e) => e.disagreementBps === null && e.impactBps !== null && Math.abs(e.impactBps) < deepBps,
  },
  {
    when: 'the two best independent routes differ by over 2 %',
    gives: 'medium',
    applies: (e) => e.disagreementBps !== null,
  },
  {
    when: 'no other route pays even half, and the impact is 1 % or more, or the fill is 1 % or more above the mid',
    gives: 'medium',
    applies: () => true,
  },
];

/** The first rule that applies; the last one always does. */
export function ruleFor(evidence: Evidence): (typeof confidenceRules)[number] {
  return confidenceRules.find((rule) => rule.applies(evidence)) as (typeof confidenceRules)[number];
}

/**
 * Output of the second best route, if it can confirm or contradict the best. A route that pays less than half is too thin
 * to indicate the price at this size, and anyone can add one for a few cents.
 */
export function comparableRunnerUp(
  best: { amountOut: bigint },
  next: { amountOut: bigint } | undefined,
): bigint | undefined {
  return next && next.amountOut * 2n >= best.amountOut ? next.amountOut : undefined;
}

/** How far the second best route is behind the best. Rounded up, so that a value just above a bound does not agree. */
export function disagreementBps(best: bigint, next: bigint): number {
  return Number(((best - next) * 10_000n + best - 1n) / best);
}
