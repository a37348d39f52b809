import type { Hex } from 'viem';
import type { SwapResult } from '../poolModel.ts';
import { power } from './weightedPower.ts';

/** Immutable facts of a weighted pool, for one pair of its tokens. */
export interface WeightedFacts {
  poolId: Hex;
  /** Normalised weights: those of all tokens of the pool sum to 10^18. */
  weight0: bigint;
  weight1: bigint;
  /** 10^(18 - decimals). */
  scale0: bigint;
  scale1: bigint;
}

/** A weighted pool of Balancer v2, for one pair of its tokens. */
export interface WeightedState extends Omit<WeightedFacts, 'poolId'> {
  kind: 'weighted';
  /** Releases since 2022 multiply for exponents 1, 2 and 4, where the first one computes a logarithm. */
  hasFastPowers: boolean;
  balance0: bigint;
  balance1: bigint;
  /** Fee as a fraction of the input, scaled by 10^18. */
  swapFee: bigint;
  /** The same in millionths, rounded up. */
  feePips: readonly [number, number];
}

const one = 10n ** 18n;
const maxUint112 = (1n << 112n) - 1n;
/** The pool rejects an input above 30 % of its balance (`_MAX_IN_RATIO` of WeightedMath.sol). */
const maxIn = 3n * 10n ** 17n;
/** Maximum relative error of LogExpMath, scaled by 10^18 (`MAX_POW_RELATIVE_ERROR` of FixedPoint.sol). */
const powerError = 10_000n;

const multiplyUp = (a: bigint, b: bigint) => (a * b + one - 1n) / one;
const divideUp = (a: bigint, b: bigint) => (a * one + b - 1n) / b;

/**
 * Balancer v2's weighted pools: the fee, rounded up, is deducted first; amounts have 18 decimals; the output is rounded
 * down.
 */
export function swapWeighted(
  state: WeightedState,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapResult<WeightedState> | undefined {
  const { balance0, balance1, weight0, weight1, scale0, scale1, swapFee } = state;
  if (amountIn <= 0n) return undefined;
  const [balanceIn, balanceOut] = zeroForOne ? [balance0, balance1] : [balance1, balance0];
  const [weightIn, weightOut] = zeroForOne ? [weight0, weight1] : [weight1, weight0];
  const scaleIn = zeroForOne ? scale0 : scale1;
  const after = balanceIn + amountIn;
  if (after > maxUint112 || balanceIn === 0n) return undefined;
  const net = (amountIn - multiplyUp(amountIn, swapFee)) * scaleIn;
  const held = balanceIn * scaleIn;
  if (net > (held * maxIn) / one) return undefined;
  const left = powerUp(divideUp(held, held + net), (weightIn * one) / weightOut, state.hasFastPowers);
  const paid = left < one ? one - left : 0n;
  // The pool scales the balance to 18 decimals and the result back, which leaves the same number.
  const amountOut = (balanceOut * paid) / one;
  if (amountOut === 0n) return undefined;
  const balances = zeroForOne
    ? { balance0: after, balance1: balanceOut - amountOut }
    : { balance0: balanceOut - amountOut, balance1: after };
  return { amountOut, state: { ...state, ...balances }, ticksCrossed: 0 };
}

/** Rounded up by more than the error of the logarithm. Later releases multiply for exponents 1, 2 and 4. */
function powerUp(base: bigint, exponent: bigint, hasFastPowers: boolean): bigint {
  if (hasFastPowers) {
    if (exponent === one) return base;
    if (exponent === 2n * one) return multiplyUp(base, base);
    if (exponent === 4n * one) {
      const squared = multiplyUp(base, base);
      return multiplyUp(squared, squared);
    }
  }
  const raw = power(base, exponent);
  return raw + multiplyUp(raw, powerError) + 1n;
}
