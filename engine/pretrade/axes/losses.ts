import type { PoolSwap, StepResult } from '../simulation/simulationTypes.ts';

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

/** An LP fee above this fraction is stated. If a hook sets it, it counts as taken. */
export const remarkableFee = 0.03;

type Trade = Extract<StepResult, { ok: true; action: 'buy' | 'sell' }>;

/** @param tokenTax the part of the tokens that did not arrive */
export function lossOf(result: Trade, tokenTax: number): Loss {
  const { swap } = result;
  if (!swap) return { token: tokenTax, hook: 0, fee: 0, isDynamic: false };
  const [paid, received] = result.action === 'buy' ? [result.paid, result.nominal] : [result.sent, result.received];
  return { token: tokenTax, hook: hookPart(swap, paid, received), fee: swap.feePips / 1e6, isDynamic: swap.isDynamic };
}

/** A hook may take a part of what is paid before the swap, and of what the swap pays. */
function hookPart(swap: PoolSwap, paid: bigint, received: bigint): number {
  if (paid === 0n) return 0;
  const share = (Number(swap.in) / Number(paid)) * (Number(received) / Number(swap.out));
  return rounded(1 - share);
}

/** The part that the wallet loses beyond the pool's own LP fee: what `sellTaxRaw` and `buyTaxRaw` report. */
export function taxOf({ token, hook, fee, isDynamic }: Loss): number {
  const counted = isDynamic && fee > remarkableFee ? fee : 0;
  if (hook === 0 && counted === 0) return token;
  return rounded(1 - (1 - token) * (1 - hook) * (1 - counted));
}

/** A share below 1e-6 is rounding, not a tax. */
function rounded(share: number): number {
  const value = Math.round(share * 1e9) / 1e9;
  return Math.abs(value) < 1e-6 ? 0 : value;
}
