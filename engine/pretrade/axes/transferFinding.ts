import type { Outcome } from '../pretradeTypes.ts';

/** Results of simulated trades of ordinary wallets. `null`: not measured. */
export interface TransferFinding {
  outcome: Outcome;
  canBuy: boolean | null;
  canSell: boolean | null;
  canSellNextBlock: boolean | null;
  canSellSameBlock: boolean | null;
  receiverCanSell: boolean | null;
  contractWalletCanSell: boolean | null;
  highGasPriceCanSell: boolean | null;
  /** A sale with a larger tip, compared with sales at the usual one. */
  largerTipCanSell: boolean | null;
  wholeSizeCanSell: boolean | null;
  /** A larger purchase or sale is refused by the token where a smaller one works. */
  limitBinds: boolean | null;
  /** Sale taxes in the block after the purchase, a minute later and a day later. */
  sellTaxes: { next: TimedTax | null; later: TimedTax | null; day: TimedTax | null };
  /**
   * The taxes of a sale of the requested size and of a much smaller one in the same block, if they depend on the amount;
   * otherwise null.
   */
  taxBySize: { requested: number; small: number } | null;
  /** Tax of a sale with a larger tip and a usual gas limit, if it exceeds those of the other sales; otherwise null. */
  usualGasTax: number | null;
  /** Taxes of a contract wallet, and at a high gas price, if they exceed the ordinary wallet's; otherwise null. */
  contractWalletTax: number | null;
  highGasPriceTax: number | null;
  /** Fractions, signed. */
  buyTax: number | null;
  sellTax: number | null;
  transferTax: number | null;
  /** Who takes the parts of `buyTax` and `sellTax`. null: not measured. */
  buyLoss: Loss | null;
  sellLoss: Loss | null;
  /** What a purchase of the size and its immediate sale return, in percent. */
  roundTripPct: number | null;
  /** Taxes of purchases of the size now, after a minute, ten minutes and a day, in this order, if they differ. */
  buyTaxes: { tax: number; when: string }[];
  /** The part by which a sale pays less in a block that simulated trades do not reach; null: it does not. */
  laterBlockTax: number | null;
  /** The wallet's balance changed between two blocks without a transfer. */
  rebasing: boolean;
  /**
   * The same small trade through the unmodified router had the opposite result: the token detects simulations. The
   * result of the unmodified router is used.
   */
  simulationDetection: 'refuses-trades' | 'refuses-simulations' | null;
  /** balanceOf() returns far more than the pool sent. */
  balanceIsFalse: boolean;
  /** Why no plain transfer could be measured; null if one was. */
  transferGap: string | null;
  perPool: { pool: string; buyTax: number | null; sellTax: number | null; canSell: boolean | null }[];
  /** Sentences on the results, the most important first. */
  observations: string[];
  /** Reasons of the measurements that are missing. */
  gaps: string[];
}

export interface TimedTax {
  tax: number;
  /** Base units. */
  lost: bigint;
}

/**
 * What a wallet loses in one trade beside the price impact, as signed fractions. `token`: the token's tax. `hook`: the part
 * that the pool's hook takes. `fee`: the LP fee.
 */
export interface Loss {
  token: number;
  hook: number;
  fee: number;
  /** The hook sets the LP fee. */
  isDynamic: boolean;
}

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
