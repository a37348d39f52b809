import { SpendLimitError } from '../errors.ts';

export interface SpendLimit {
  /** Most that one call may cost, in US dollars. 1 when omitted. */
  perCallUsd?: number;
  /** Most that all calls of this client may cost together, in US dollars. No limit when omitted. */
  totalUsd?: number;
}

/** Micro dollars, which are USDC's base units. */
const unitsPerUsd = 1_000_000;

/** Keeps count of what was signed for. Money is set aside before signing, and put back only when it surely did not move. */
export class Budget {
  readonly #perCall: number;
  readonly #total: number;
  #setAside = 0;

  constructor({ perCallUsd = 1, totalUsd = Number.POSITIVE_INFINITY }: SpendLimit) {
    this.#perCall = toUnits(perCallUsd);
    this.#total = toUnits(totalUsd);
  }

  /**
   * Sets the price of a call aside.
   * @param units of USDC
   * @throws {SpendLimitError}
   */
  take(units: number): void {
    if (units > this.#perCall) throw new SpendLimitError(units / unitsPerUsd, this.#perCall / unitsPerUsd, 'a call');
    const left = this.#total - this.#setAside;
    if (units > left) throw new SpendLimitError(units / unitsPerUsd, left / unitsPerUsd, 'all calls');
    this.#setAside += units;
  }

  /** The payment was refused, or the call was free. */
  putBack(units: number): void {
    this.#setAside -= units;
  }

  /** What was spent, or may have been, in US dollars. */
  get spentUsd(): number {
    return this.#setAside / unitsPerUsd;
  }
}

function toUnits(usd: number): number {
  if (Number.isNaN(usd) || usd < 0) throw new RangeError(`A spend limit of ${usd} USD is none.`);
  return Math.round(usd * unitsPerUsd);
}
