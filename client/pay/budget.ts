import { SpendLimitError } from '../errors.ts';

export interface SpendLimit {
  /** Most that one call may cost, in US dollars. 1 when omitted. */
  perCallUsd?: number;
  /** Most that all calls of this client may cost together, in US dollars. No limit when omitted. */
  totalUsd?: number;
}

/** Micro dollars, which are USDC's base units. */
const unitsPerUsd = 1_000_000;

/** Tracks the spend limit. Amounts are reserved before signing and released only if the payment certainly did not settle. */
export class Budget {
  readonly #perCall: number;
  readonly #total: number;
  #reserved = 0;

  constructor({ perCallUsd = 1, totalUsd = Number.POSITIVE_INFINITY }: SpendLimit) {
    this.#perCall = toUnits('perCallUsd', perCallUsd);
    this.#total = toUnits('totalUsd', totalUsd);
  }

  /**
   * Reserves the price of a call.
   * @param units of USDC
   * @throws {SpendLimitError}
   */
  reserve(units: number): void {
    if (units > this.#perCall)
      throw new SpendLimitError(units / unitsPerUsd, this.#perCall / unitsPerUsd, 'perCallUsd');
    const left = this.#total - this.#reserved;
    if (units > left) throw new SpendLimitError(units / unitsPerUsd, left / unitsPerUsd, 'totalUsd');
    this.#reserved += units;
  }

  /** Releases a reservation: the payment was rejected, or the call was free. */
  release(units: number): void {
    this.#reserved -= units;
  }

  /** Spent or possibly spent, in US dollars. */
  get spentUsd(): number {
    return this.#reserved / unitsPerUsd;
  }
}

function toUnits(name: keyof SpendLimit, usd: number): number {
  if (Number.isNaN(usd) || usd < 0)
    throw new RangeError(
      `Invalid spendLimit.${name}: expected a number of USD, at least 0, got ${usd}. Nothing was sent.`,
    );
  return Math.round(usd * unitsPerUsd);
}
