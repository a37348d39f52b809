import type { Address } from 'viem';
import type { PoolPlan, PoolSeed, TokenPlan } from '../chainPlan.ts';

/** The chain lacks a token of a pool plan. */
class UnknownTokenError extends Error {
  override readonly name = 'UnknownTokenError';
}

/**
 * Computes a pool's amounts in base units from the prices of its tokens. `native` replaces the wrapped token on v4.
 * @throws {UnknownTokenError}
 */
export function seedPool(plan: PoolPlan, tokens: readonly TokenPlan[], wrappedNative: Address): PoolSeed {
  const [first, second] = plan.pair.map((symbol) => findToken(tokens, symbol)) as [TokenPlan, TokenPlan];
  const price = (first.usd / second.usd) * (1 + (plan.skewBps ?? 0) / 10_000);
  const wholeFirst = plan.usd / first.usd;
  const amountFirst = toRaw(wholeFirst, first.decimals);
  const amountSecond = toRaw(wholeFirst * price, second.decimals);
  const poolAddress = (token: TokenPlan): Address =>
    plan.native && token.address === wrappedNative ? nativeCurrency : token.address;
  const inOrder = poolAddress(first).toLowerCase() < poolAddress(second).toLowerCase();
  return {
    ...plan,
    token0: poolAddress(inOrder ? first : second),
    token1: poolAddress(inOrder ? second : first),
    amount0: inOrder ? amountFirst : amountSecond,
    amount1: inOrder ? amountSecond : amountFirst,
    // A range is given for the first token's price; the pool's price is token1 per token0.
    ...(plan.range && !inOrder ? { range: inverted(plan.range) } : {}),
    ...(plan.weights && !inOrder ? { weights: [plan.weights[1], plan.weights[0]] as const } : {}),
    ...(plan.steps && !inOrder ? { steps: plan.steps.map((step) => ({ ...step, range: inverted(step.range) })) } : {}),
  };
}

const inverted = ([low, high]: readonly [number, number]) => [1 / high, 1 / low] as const;

export const nativeCurrency: Address = '0x0000000000000000000000000000000000000000';

function findToken(tokens: readonly TokenPlan[], symbol: string): TokenPlan {
  const token = tokens.find((candidate) => candidate.symbol === symbol);
  if (!token) throw new UnknownTokenError(`The chain has no token ${symbol}, which a planned pool needs.`);
  return token;
}

/** Converts whole tokens to base units, rounded to six decimals. */
function toRaw(whole: number, decimals: number): bigint {
  return (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n;
}
