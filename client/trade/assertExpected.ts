import { type Address, getAddress } from 'viem';
import { chainFacts } from '../chains/index.ts';
import type { Quote } from '../wire.ts';
import { UnexpectedQuoteError } from './errors.ts';
import { afterSlippage, isSameAddress } from './plan.ts';
import { routersOf } from './routers.ts';

/** What the caller asked for, in base units and addresses that do not come from the quote. */
export interface ExpectedTrade {
  chain: Quote['chain'];
  /** The token to sell; 0xEeee…EEeE is the native coin, traded as its wrapped token. */
  tokenIn: Address;
  tokenOut: Address;
  /** Most base units of tokenIn to sell. */
  maxAmountIn: bigint;
  /** Least base units of tokenOut, after slippage. */
  minAmountOut?: bigint;
}

const nativeCoin = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/**
 * Asserts that a quote trades what the caller asked for. A faulty or hostile service could otherwise return a quote that
 * sells another token of the caller, more of it, or on another chain.
 * @throws {UnexpectedQuoteError}
 */
export function assertExpected(quote: Quote, slippageBps: number, expected: ExpectedTrade): void {
  if (!Object.hasOwn(chainFacts, expected.chain) || quote.chain !== expected.chain)
    throw new UnexpectedQuoteError(`The quote is for ${quote.chain}, not for ${expected.chain}. Do not trade it.`);
  const { wrappedNative } = routersOf(expected.chain);
  for (const side of ['tokenIn', 'tokenOut'] as const) {
    const wanted = isSameAddress(expected[side], nativeCoin) ? wrappedNative : getAddress(expected[side]);
    if (!isSameAddress(quote[side], wanted))
      throw new UnexpectedQuoteError(`${side} of the quote is ${quote[side]}, not ${wanted}. Do not trade it.`);
  }
  if (BigInt(quote.amountIn) > expected.maxAmountIn)
    throw new UnexpectedQuoteError(
      `The quote sells ${quote.amountIn} base units of tokenIn, more than ${expected.maxAmountIn}. Do not trade it.`,
    );
  const minimum = afterSlippage(BigInt(quote.amountOut), slippageBps);
  if (minimum < (expected.minAmountOut ?? 0n))
    throw new UnexpectedQuoteError(
      `After slippage the quote pays ${minimum} base units of tokenOut, less than ${expected.minAmountOut}. Do not trade it.`,
    );
}
