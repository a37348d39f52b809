import type { WeightedState } from '../../pools/poolTypes.ts';
import { weightedSides } from '../../pools/price.ts';

/** A pool takes at most 30 % of its balance. Slightly less, because doubles round. */
const mostIn = 0.299_999_999;
/** What the pool rounds its power up by. */
const powerError = 1e-14;

/** Output is B · (1 − (b / (b + a))^q): b and B are the balances, a the input after the fee, q the quotient of the weights. */
export function weightedCurve(state: WeightedState, zeroForOne: boolean) {
  const { held, heldOut, quotient } = weightedSides(state, zeroForOne);
  const keep = 1 - Number(state.swapFee) / 1e18;
  if (!(held > 0 && heldOut > 0 && keep > 0 && quotient > 0 && Number.isFinite(quotient))) return undefined;
  const most = held * mostIn;
  const hasExactPower = state.hasFastPowers && (quotient === 1 || quotient === 2 || quotient === 4);
  const error = hasExactPower ? 0 : powerError;
  const payNet = (net: number) => heldOut * (-Math.expm1(-quotient * Math.log1p(net / held)) - error);
  return {
    pay(amountIn: number): number {
      const net = amountIn * keep;
      return net <= most ? Math.max(0, payNet(net)) : Number.NEGATIVE_INFINITY;
    },
    slope(amountIn: number): number {
      const net = amountIn * keep;
      if (net > most) return 0;
      return ((keep * heldOut * quotient) / held) * Math.exp(-(quotient + 1) * Math.log1p(net / held));
    },
    reach: (amountIn: number): number => Math.max(0, payNet(Math.min(most, amountIn * keep))),
    crossed: (): number => 0,
  };
}
