import type { RouterEffort } from './alphaRouter.mjs';
import type { PairKind } from './markets.ts';

/** One order, and the results of both sides. Amounts are whole tokens of tokenOut. */
export interface Comparison {
  market: string;
  effort: RouterEffort;
  kind: PairKind;
  usd: number;
  about: string;
  /** Above zero where truefill pays more; null if the router's plan does not sell the whole order. */
  differenceBps: number | null;
  /** How far the bound of the linear program is above each side, before gas. Below zero only if the bound is wrong. */
  boundBps: Record<'truefill' | 'router', number | null>;
  /** The part of its value that truefill's order loses, before gas; null without a plan. */
  lostPart: number | null;
  truefill: Side | undefined;
  router: Side | undefined;
}

export interface Side {
  received: string;
  gasUsed: number;
  net: number;
  legs: string[];
}
