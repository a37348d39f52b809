import { SpendLimitError } from '../errors.ts';

export interface SpendLimit {
  /** Maximum price of one call in US dollars, over all payments that it signs. Default: 1. */
  perCallUsd?: number;
  /**
   * Maximum of all payments that this client signs, in US dollars. A signed payment counts until it expires, also if the
   * service reports that it was not charged. A charged payment counts for good. Default: no limit.
   */
  totalUsd?: number;
}

/** The local clocks. The service's time is not trusted. */
export interface Clock {
  wallMs(): number;
  /** A clock that is never set, so that a change of the wall clock cannot release a payment too early. */
  monotonicMs(): number;
}

const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** The amount and the validity of a signed payment. */
export interface SignedAmount {
  /** Base units of USDC. */
  units: number;
  /** Unix time in milliseconds after which no chain includes the payment. */
  validBeforeMs: number;
  /** The longest time from the signature to `validBeforeMs`. */
  validityMs: number;
}

interface Payment {
  units: number;
  wallDeadlineMs: number;
  monotonicDeadlineMs: number;
  /** The service reported that it was not charged. It may still be, until it expires. */
  isDenied: boolean;
}

/** Base units of USDC per US dollar. */
const unitsPerUsd = 1_000_000;

/** A block's time may lag behind this clock. */
const expiryMarginMs = 60_000;

/** Bounds the memory. Beyond it, the oldest payments count for good. */
const paymentsLimit = 1_000;

/**
 * Enforces the spend limit. An amount is reserved before signing. The signed payment then counts as long as it can move
 * money or may have moved it: a report of the service alone never releases an amount.
 */
export class Budget {
  readonly #perCall: number;
  readonly #total: number;
  readonly #clock: Clock;
  /** Amounts that are being signed. */
  #reserved = 0;
  /** Amounts of charged payments. */
  #charged = 0;
  /** Payments that were handed out and whose charge is not certain, by PAYMENT-SIGNATURE. */
  readonly #payments = new Map<string, Payment>();

  constructor({ perCallUsd = 1, totalUsd = Number.POSITIVE_INFINITY }: SpendLimit, clock: Clock = systemClock) {
    this.#perCall = toUnits('perCallUsd', perCallUsd);
    this.#total = toUnits('totalUsd', totalUsd);
    this.#clock = clock;
  }

  /**
   * Reserves an amount before it is signed.
   * @param units base units of USDC
   * @param signedInCall base units of the payments that the call has signed before
   * @throws {SpendLimitError}
   */
  reserve(units: number, signedInCall = 0): void {
    const inCall = units + signedInCall;
    if (inCall > this.#perCall)
      throw new SpendLimitError(inCall / unitsPerUsd, this.#perCall / unitsPerUsd, 'perCallUsd');
    const left = this.#total - this.#counted();
    if (units > left)
      throw new SpendLimitError(units / unitsPerUsd, left / unitsPerUsd, 'totalUsd', this.#held() / unitsPerUsd);
    this.#reserved += units;
  }

  /** Releases a reserved amount that was not signed, or whose signature was discarded. */
  release(units: number): void {
    this.#reserved -= units;
  }

  /** Counts a signed payment in place of its reservation. Call this before anything else receives the signature. */
  hold(signature: string, { units, validBeforeMs, validityMs }: SignedAmount): void {
    this.release(units);
    this.#payments.set(signature, {
      units,
      wallDeadlineMs: validBeforeMs + expiryMarginMs,
      monotonicDeadlineMs: this.#clock.monotonicMs() + validityMs + expiryMarginMs,
      isDenied: false,
    });
    if (this.#payments.size > paymentsLimit) this.#evict();
  }

  /** Stops counting a payment whose signature nothing else has received. */
  discard(signature: string): void {
    this.#payments.delete(signature);
  }

  /** The payment is about to be sent again, so an earlier denial no longer describes it. */
  reopen(signature: string): void {
    const payment = this.#payments.get(signature);
    if (payment && !this.#isExpired(payment)) payment.isDenied = false;
  }

  /** The service reported a charge: the payment counts for good. No effect for payments of other clients. */
  charge(signature: string): void {
    const payment = this.#payments.get(signature);
    if (!payment) return;
    this.#payments.delete(signature);
    this.#charged += payment.units;
  }

  /** The service reported that it charged nothing: the payment counts until it expires. */
  deny(signature: string): void {
    const payment = this.#payments.get(signature);
    if (payment) payment.isDenied = true;
  }

  /** US dollars of all payments that were charged, may have been charged, or can still be charged. */
  get spentUsd(): number {
    return this.#counted() / unitsPerUsd;
  }

  #counted(): number {
    let units = this.#charged + this.#reserved;
    for (const payment of this.#payments.values()) if (this.#counts(payment)) units += payment.units;
    return units;
  }

  /** The amount of live payments that the service did not charge. */
  #held(): number {
    let units = 0;
    for (const payment of this.#payments.values())
      if (payment.isDenied && !this.#isExpired(payment)) units += payment.units;
    return units;
  }

  #counts(payment: Payment): boolean {
    return !payment.isDenied || !this.#isExpired(payment);
  }

  #isExpired({ wallDeadlineMs, monotonicDeadlineMs }: Payment): boolean {
    return this.#clock.wallMs() >= wallDeadlineMs && this.#clock.monotonicMs() >= monotonicDeadlineMs;
  }

  /** Removes a payment: one that no longer counts, else the oldest, which then counts for good. */
  #evict(): void {
    for (const [signature, payment] of this.#payments) {
      if (this.#counts(payment)) continue;
      this.#payments.delete(signature);
      return;
    }
    const [oldest] = this.#payments.keys();
    if (oldest !== undefined) this.charge(oldest);
  }
}

function toUnits(name: keyof SpendLimit, usd: number): number {
  if (Number.isNaN(usd) || usd < 0)
    throw new RangeError(
      `Invalid spendLimit.${name}: expected a number of USD, at least 0, got ${usd}. Nothing was sent.`,
    );
  // Rounding up would allow more than the limit.
  return Math.floor(Number((usd * unitsPerUsd).toFixed(3)));
}
