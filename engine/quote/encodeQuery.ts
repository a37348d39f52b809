import { type Hex, size, toFunctionSelector, zeroAddress } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { Payer } from './funding/fundingMemory.ts';

/** Units of the size, as numbered in contracts/lens/QuoteLens.sol. */
export const sizeModes = { token: 0, units: 1 } as const;

export interface LensQuery {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  mode: (typeof sizeModes)[keyof typeof sizeModes];
  mantissa: bigint;
  scale: number;
  /** Accounts that hold tokenIn and approved the lens, ordered by amount. */
  payers?: readonly Payer[];
  /** tokenIn is known to arrive in full: only the winner is paid. */
  trusted?: boolean;
}

/** The shortest query: no size, no tokens. */
export const emptyQuery: LensQuery = {
  tokenIn: zeroAddress,
  tokenOut: zeroAddress,
  mode: sizeModes.units,
  mantissa: 0n,
  scale: 0,
};

export const largestWord = 2n ** 256n - 1n;

/** `quote` of contracts/lens/QuoteLens.sol. */
export const quoteSelector = toFunctionSelector(
  'function quote((address,address,uint256,uint256,uint256,bool,uint256) query, bytes config, (address,uint256)[] payers)',
);

/**
 * Creates the encoder of one chain, from the result of `encodeChainConfig`. Parts that are the same in every call are
 * encoded once. `salt` must be random and new for each call: it authenticates the results.
 */
export function createQueryEncoder(chainData: Hex): (query: LensQuery, salt: bigint) => Hex {
  const bytes = size(chainData);
  const padding = '00'.repeat((32 - (bytes % 32)) % 32);
  const chainDataAt = 9n * 32n;
  const payersAt = chainDataAt + 32n + BigInt(bytes + padding.length / 2);
  const tail = word(chainDataAt) + word(payersAt) + word(BigInt(bytes)) + chainData.slice(2) + padding;
  return (query, salt) => {
    const { tokenIn, tokenOut, mode, mantissa, scale, payers = [], trusted = false } = query;
    // A mantissa beyond a word is too large for any token; the caller reports it (`readMarket`).
    const capped = mantissa > largestWord ? largestWord : mantissa;
    const head = [BigInt(tokenIn), BigInt(tokenOut), BigInt(mode), capped, BigInt(scale)];
    const funded = [BigInt(payers.length), ...payers.flatMap(({ account, amount }) => [BigInt(account), amount])];
    const words = [...head, trusted ? 1n : 0n, salt].map(word).join('');
    return `${quoteSelector}${words}${tail}${funded.map(word).join('')}`;
  };
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
