import { remarkableTax } from './feeSignal.ts';
import { type Loss, remarkableFee } from './losses.ts';
import type { TransferFinding } from './transferFinding.ts';

/** Who takes what of a trade: the token, the pool's hook, or the pool's LP fee. `tax`: the sum that the answer reports. */
export function describeLoss(side: 'sale' | 'purchase', tax: number | null, loss: Loss | null): string[] {
  if (tax === null) return [];
  const { token, hook, fee, isDynamic } = loss ?? { token: tax, hook: 0, fee: 0, isDynamic: false };
  const setBy = isDynamic ? ', which its hook sets' : '';
  return [
    ...(token > remarkableTax ? [`The token takes ${percent(token)} of a ${side} as tax.`] : []),
    ...(hook > remarkableTax ? [`The pool’s hook takes ${percent(hook)} of a ${side}.`] : []),
    ...(fee > remarkableFee ? [`The pool’s LP fee is ${percent(fee)} of a ${side}${setBy}.`] : []),
  ];
}

/** A purchase and its immediate sale that return less than this, in percent, are stated. */
const remarkableReturn = 90;

export function describeRoundTrip({ roundTripPct, canSellNextBlock }: TransferFinding): string | undefined {
  if (roundTripPct === null || roundTripPct >= remarkableReturn || canSellNextBlock === false) return undefined;
  return `A purchase of the size and its sale in the next block return ${roundTripPct.toFixed(1)} % of the price paid.`;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
