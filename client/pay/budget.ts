import { SpendLimitError } from '../errors.ts';

export interface SpendLimit {
  /** Maximum price of one call in US dollars. Default: 1. */
  perCallUsd?: number;
  /** Maximum cost of all calls of this client together, in US dollars. Default: no limit. */
  totalUsd?: number;
}

/** Base units of USDC per US dollar. */
const unitsPerUsd = 1_000_000;

/**
 * Enforces the spend limit. Amounts are reserved before signing, and released only if the payment cannot settle.
 *
 * A payment that was sent keeps its reservation until its outcome is known, which may be in a later call that resumes it.
 */
export class Budget {
  readonly #perCall: number;
  readonly #total: number;
  #reserved = 0;
  /** Units of the payments that were sent and whose outcome is not known, by PAYMENT-SIGNATURE. */
  readonly #pending = new Map<string, number>();

  constructor({ perCallUsd = 1, totalUsd = Number.POSITIVE_INFINITY }: SpendLimit) {
    this.#perCall = toUnits('perCallUsd', perCallUsd);
    this.#total = toUnits('totalUsd', totalUsd);
  }

  /**
   * Reserves the price of a call.
   * @param units base units of USDC
   * @throws {SpendLimitError}
   */
  reserve(units: number): void {
    if (units > this.#perCall)
      throw new SpendLimitError(units / unitsPerUsd, this.#perCall / unitsPerUsd, 'perCallUsd');
    const left = this.#total - this.#reserved;
    if (units > left) throw new SpendLimitError(units / unitsPerUsd, left / unitsPerUsd, 'totalUsd');
    this.#reserved += units;
  }

  /** Releases a reservation in base units of USDC, for a payment that was not sent. */
  release(units: number): void {
    this.#reserved -= units;
  }

  /** Assigns a reservation to a signature that is about to be sent. */
  assign(signature: string, units: number): void {
    this.#pending.set(signature, units);
  }

  /**
   * Ends the reservation of a sent payment. Has no effect if it has ended before, or another client reserved it.
   * @param wasCharged false if the payment was refused or the call was free: its amount is released
   */
  end(signature: string, wasCharged: boolean): void {
    if (!wasCharged) this.release(this.#pending.get(signature) ?? 0);
    this.#pending.delete(signature);
  }

  /** US dollars of all payments that settled or may have settled. */
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
