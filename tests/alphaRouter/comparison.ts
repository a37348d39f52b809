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
  truefill: Side | undefined;
  router: Side | undefined;
  /** Where truefill pays less over a single route: its best plan without the rule that a split must gain over 5 bps. */
  split?: Split | undefined;
}

export type Split = Side & {
  /** Net, compared with the router. */
  differenceBps: number;
  /** Before gas, compared with truefill's single route. */
  gainBps: number;
};

export interface Side {
  received: string;
  gasUsed: number;
  net: number;
  legs: string[];
}
