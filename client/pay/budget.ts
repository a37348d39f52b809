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
  /** Payments that were sent and may still settle, by PAYMENT-SIGNATURE. A refused one is not reserved. */
  readonly #pending = new Map<string, { units: number; isReserved: boolean }>();

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
    this.#pending.set(signature, { units, isReserved: true });
  }

  /**
   * Reserves the amount of a refused payment again, before it is sent once more.
   * @throws {SpendLimitError}
   */
  reserveAgain(signature: string): void {
    const payment = this.#pending.get(signature);
    if (!payment || payment.isReserved) return;
    this.reserve(payment.units);
    payment.isReserved = true;
  }

  /**
   * Counts a sent payment as its reply says. Has no effect if a reply was final before, or another client reserved the amount.
   * @param outcome `refused`: not charged, but the same signature can be sent again and be charged then
   */
  end(signature: string, outcome: 'charged' | 'free' | 'refused'): void {
    const payment = this.#pending.get(signature);
    if (!payment) return;
    const isCharged = outcome === 'charged';
    if (payment.isReserved !== isCharged) this.#reserved += isCharged ? payment.units : -payment.units;
    payment.isReserved = isCharged;
    if (outcome !== 'refused') this.#pending.delete(signature);
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
