import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';

/** The lens's answer is too short or has another layout. */
export class LensAnswerError extends Error {
  override readonly name = 'LensAnswerError';
}

/**
 * Reads 32-byte words from a hex string in order, in lower case whatever the node returned. Faster than a general ABI
 * decoder.
 */
export function createWordReader(answer: Hex) {
  const words = answer.toLowerCase();
  let at = 2;
  const hex = (): string => {
    const text = words.slice(at, at + 64);
    if (text.length < 64) throw new LensAnswerError(`The answer ends at word ${(at - 2) / 64}.`);
    at += 64;
    return text;
  };
  return {
    hex,
    /** Index of the next word's first character. */
    position: () => at,
    big() {
      const text = hex();
      return text === zero ? 0n : BigInt(`0x${text}`);
    },
    /** Up to 53 bits: the lens writes no larger number here. */
    int: () => Number.parseInt(hex(), 16),
    /** At most 255: the lens reports no more, and powers of ten are computed from it. */
    decimals(): number {
      const value = Number.parseInt(hex(), 16);
      if (value > 255) throw new LensAnswerError(`The answer contains a token with ${value} decimals.`);
      return value;
    },
    address: () => `0x${hex().slice(24)}` as LowerAddress,
  };
}

const zero = '0'.repeat(64);

export type WordReader = ReturnType<typeof createWordReader>;
