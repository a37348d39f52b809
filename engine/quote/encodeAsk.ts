import { type Address, type Hex, size, toFunctionSelector } from 'viem';
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
}

const largestWord = 2n ** 256n - 1n;

/** Makes the encoder of one chain; what stays the same in every call is worked out here. */
export function createAskEncoder(world: Hex): (question: LensQuestion) => Hex {
  const selector = toFunctionSelector(
    'function ask((address,address,uint256,uint256,uint256,address,uint256) question, bytes world)',
  );
  const bytes = size(world);
  const padding = '00'.repeat((32 - (bytes % 32)) % 32);
  const tail = word(8n * 32n) + word(BigInt(bytes)) + world.slice(2) + padding;
  return ({ tokenIn, tokenOut, mode, mantissa, scale, feed }) => {
    // A mantissa beyond a word overflows in the lens as well, with any token.
    const capped = mantissa > largestWord ? largestWord : mantissa;
    const head = [BigInt(tokenIn), BigInt(tokenOut), BigInt(mode), capped, BigInt(scale)];
    const oracle = [BigInt(feed?.address ?? 0), BigInt(feed?.heartbeatSeconds ?? 0)];
    return `${selector}${[...head, ...oracle].map(word).join('')}${tail}`;
  };
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
