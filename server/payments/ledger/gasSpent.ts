/** Why the gas of a payment, or a part of it, is not known. */
export const gasUnknownReasons = {
  not_read: 'no receipt with its fee was read',
  no_price: 'the price of the native coin was not read',
  remote: 'a remote facilitator pays it',
} as const;

export type GasUnknownReason = keyof typeof gasUnknownReasons;

/** What our transactions for one payment cost. Absent values are unknown, never zero. */
export interface GasSpent {
  /** Units of gas: the payment's share of the transaction that settled it. */
  used?: number;
  /** Millionths of a US dollar, including the fees of transactions that failed on chain. */
  microUsd?: number;
  /** Present if a part is not known; the values then cover the rest. */
  unknown?: GasUnknownReason;
}

/** @param used units of gas @param usd undefined: the fee or the price is not known, for the reason `unknown` */
export function toGasSpent(used: bigint | undefined, usd: number | undefined, unknown: GasUnknownReason): GasSpent {
  const microUsd = usd === undefined ? undefined : toMicroUsd(usd);
  return {
    ...(used !== undefined && isStorable(Number(used)) && { used: Number(used) }),
    ...(microUsd === undefined ? { unknown } : { microUsd }),
  };
}

/** Adds the fees of transactions that failed on chain. @param usd undefined: a fee or the price is not known */
export function addFailedGas(gas: GasSpent | undefined, usd: number | undefined): GasSpent {
  const microUsd = usd === undefined ? undefined : toMicroUsd(usd);
  if (microUsd === undefined) return { ...gas, unknown: gas?.unknown ?? 'no_price' };
  return { ...gas, microUsd: (gas?.microUsd ?? 0) + microUsd };
}

/** The database stores whole numbers. A value that a faulty node makes too large must not fail the write of a payment. */
const isStorable = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function toMicroUsd(usd: number): number | undefined {
  const units = Math.round(usd * 1_000_000);
  return isStorable(units) ? units : undefined;
}
