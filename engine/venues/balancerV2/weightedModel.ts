import { type Curve, type PoolModel, perDirection } from '../poolModel.ts';
import { onePercentLower, toUnits, usablePrice } from '../priceMaths.ts';
import { swapWeighted, type WeightedState } from './weighted.ts';

/** The product of the balances, each to the power of its weight, stays the same. */
export const weightedModel: PoolModel<WeightedState> = {
  swap: swapWeighted,
  price: priceOf,
  depth: perDirection((state, zeroForOne) => {
    if (priceOf(state, zeroForOne) === undefined) return 0n;
    const { heldOut, quotient } = weightedSides(state, zeroForOne);
    return toUnits(heldOut - heldOut * onePercentLower ** (quotient / (quotient + 1)));
  }),
  curve: weightedCurve,
  legGas: 150_000,
};

function priceOf(state: WeightedState, zeroForOne: boolean): number | undefined {
  const { held, heldOut, quotient } = weightedSides(state, zeroForOne);
  return usablePrice((heldOut * quotient) / held);
}

/** Balances, and the weight of the token sold divided by the weight of the token bought. */
function weightedSides({ balance0, balance1, weight0, weight1 }: WeightedState, zeroForOne: boolean) {
  const [held, heldOut] = zeroForOne ? [balance0, balance1] : [balance1, balance0];
  const quotient = Number(weight0) / Number(weight1);
  return { held: Number(held), heldOut: Number(heldOut), quotient: zeroForOne ? quotient : 1 / quotient };
}

/** The pool rejects an input above 30 % of its balance (`_MAX_IN_RATIO`). Slightly lower, because doubles round. */
const maxIn = 0.299_999_999;
/** Relative error by which the pool rounds its power up (`MAX_POW_RELATIVE_ERROR` of Balancer's FixedPoint.sol). */
const powerError = 1e-14;

/**
 * Output is B · (1 − (b / (b + a))^q): b and B are the balances, a the input after the fee, q the quotient of the weights
 * (`_calcOutGivenIn` of Balancer v2's WeightedMath.sol). expm1 and log1p keep small inputs exact. Undefined if a balance, a
 * weight or the fee is out of range.
 */
function weightedCurve(state: WeightedState, zeroForOne: boolean): Curve | undefined {
  const { held, heldOut, quotient } = weightedSides(state, zeroForOne);
  const keep = 1 - Number(state.swapFee) / 1e18;
  if (!(held > 0 && heldOut > 0 && keep > 0 && quotient > 0 && Number.isFinite(quotient))) return undefined;
  const netLimit = held * maxIn;
  const hasExactPower = state.hasFastPowers && (quotient === 1 || quotient === 2 || quotient === 4);
  const error = hasExactPower ? 0 : powerError;
  const payNet = (net: number) => heldOut * (-Math.expm1(-quotient * Math.log1p(net / held)) - error);
  return {
    pay(amountIn: number): number {
      const net = amountIn * keep;
      return net <= netLimit ? Math.max(0, payNet(net)) : Number.NEGATIVE_INFINITY;
    },
    slope(amountIn: number): number {
      const net = amountIn * keep;
      if (net > netLimit) return 0;
      return ((keep * heldOut * quotient) / held) * Math.exp(-(quotient + 1) * Math.log1p(net / held));
    },
    reach: (amountIn: number): number => Math.max(0, payNet(Math.min(netLimit, amountIn * keep))),
    crossed: (): number => 0,
  };
}
