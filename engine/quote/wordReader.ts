import type { Hex } from 'viem';

/** The lens's answer is shorter than it says, or of another layout. */
export class LensAnswerError extends Error {
  override readonly name = 'LensAnswerError';
}

/** Cuts 32-byte words off a hex string, one after another. Far cheaper than a general ABI decoder. */
export function createWordReader(words: Hex) {
  let at = 2;
  const hex = (): string => {
    const text = words.slice(at, at + 64);
    if (text.length < 64) throw new LensAnswerError(`The answer ends at word ${(at - 2) / 64}.`);
    at += 64;
    return text;
  };
  const int = (): number => Number(BigInt(`0x${hex()}`));
  return {
    hex,
    big: () => BigInt(`0x${hex()}`),
    int,
    address: (): Hex => `0x${hex().slice(24)}`,
    /** A list behind its length. Every entry is at least a word, so that one longer than the answer is none. */
    list<T>(read: () => T): T[] {
      const length = int();
      if (length > (words.length - at) / 64) throw new LensAnswerError(`A list of ${length} does not fit.`);
      return Array.from({ length }, read);
    },
  };
}

export type WordReader = ReturnType<typeof createWordReader>;
