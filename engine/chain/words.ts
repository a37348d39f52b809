import type { Hex } from 'viem';

/** Call data from a selector and static words. Faster than viem's encoder, which checksums every address. */
export function encodeWords(selector: Hex, words: readonly (bigint | string)[]): Hex {
  return `${selector}${words.map(toWord).join('')}` as Hex;
}

/** Digits of a number in as many bytes. @throws {RangeError} it does not fit */
export function toBytes(value: bigint, size: number): string {
  const digits = value.toString(16).padStart(2 * size, '0');
  if (digits.length > 2 * size) throw new RangeError(`${value} does not fit ${size} bytes.`);
  return digits;
}

/** Splits an answer into 32-byte words; a shorter rest is dropped. */
export function decodeWords(data: Hex, most = Number.POSITIVE_INFINITY): bigint[] {
  const words: bigint[] = [];
  for (let at = 2; at + 64 <= data.length && words.length < most; at += 64) {
    words.push(BigInt(`0x${data.slice(at, at + 64)}`));
  }
  return words;
}

/** A number, two's complement below zero, or an address. */
export function toWord(value: bigint | string): string {
  if (typeof value === 'string') return value.slice(2).toLowerCase().padStart(64, '0');
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}
