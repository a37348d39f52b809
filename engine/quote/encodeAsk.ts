import { type Address, type Hex, size, toFunctionSelector, zeroAddress } from 'viem';
import type { UsdFeed } from '../venues/venueTypes.ts';

/** How the lens gets the size: contracts/lens/QuoteLens.sol has the same numbers. */
export const sizeModes = { token: 0, usd: 1, units: 2, survey: 3 } as const;

export interface LensQuestion {
  tokenIn: Address;
  tokenOut: Address;
  mode: (typeof sizeModes)[keyof typeof sizeModes];
  mantissa: bigint;
  scale: number;
  /** tokenIn's, for a size in USD. */
  feed?: UsdFeed | undefined;
  /** How many accounts behind the lens may hold tokenIn (`tokenFunding.ts`); 0 = the lens itself may. */
  payers?: number;
  /** tokenIn is known to arrive in full: only the winner is paid. */
  trusted?: boolean;
}

/** The shortest question: no size, no tokens. */
export const emptyQuestion: LensQuestion = {
  tokenIn: zeroAddress,
  tokenOut: zeroAddress,
  mode: sizeModes.units,
  mantissa: 0n,
  scale: 0,
};

export const largestWord = 2n ** 256n - 1n;

/**
 * Makes the encoder of one chain; what stays the same in every call is worked out here. `salt` must be new for every
 * call and known to nobody: results travel under words made of it.
 */
export function createAskEncoder(world: Hex): (question: LensQuestion, salt: bigint) => Hex {
  const selector = toFunctionSelector(
    'function ask((address,address,uint256,uint256,uint256,address,uint256,uint256,bool,uint256) question, bytes world)',
  );
  const bytes = size(world);
  const padding = '00'.repeat((32 - (bytes % 32)) % 32);
  const tail = word(11n * 32n) + word(BigInt(bytes)) + world.slice(2) + padding;
  return (question, salt) => {
    const { tokenIn, tokenOut, mode, mantissa, scale, feed, payers = 0, trusted = false } = question;
    // A mantissa beyond a word is too large with any token; the caller says so (`readMarket`).
    const capped = mantissa > largestWord ? largestWord : mantissa;
    const head = [BigInt(tokenIn), BigInt(tokenOut), BigInt(mode), capped, BigInt(scale)];
    const oracle = [BigInt(feed?.address ?? 0), BigInt(feed?.heartbeatSeconds ?? 0)];
    const funding = [BigInt(payers), trusted ? 1n : 0n, salt];
    return `${selector}${[...head, ...oracle, ...funding].map(word).join('')}${tail}`;
  };
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
