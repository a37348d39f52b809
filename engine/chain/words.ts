import { BaseError, type Hex } from 'viem';

/** Call data from a selector and static words. Faster than viem's encoder, which checksums every address. */
export function encodeWords(selector: Hex, words: readonly (bigint | string)[]): Hex {
  return `${selector}${words.map(toWord).join('')}` as Hex;
}

/** A number as hex digits of `size` bytes, without 0x. @throws {RangeError} it does not fit */
export function toBytes(value: bigint, size: number): string {
  const digits = value.toString(16).padStart(2 * size, '0');
  if (digits.length > 2 * size) throw new RangeError(`${value} does not fit in ${size} bytes.`);
  return digits;
}

/** The first `limit` 32-byte words of an answer; an incomplete last word is dropped. */
export function decodeWords(data: Hex, limit = Number.POSITIVE_INFINITY): bigint[] {
  const words: bigint[] = [];
  for (let at = 2; at + 64 <= data.length && words.length < limit; at += 64) {
    words.push(BigInt(`0x${data.slice(at, at + 64)}`));
  }
  return words;
}

/** One 32-byte word as hex digits: a number (two's complement if negative) or an address. */
export function toWord(value: bigint | string): string {
  if (typeof value === 'string') return value.slice(2).toLowerCase().padStart(64, '0');
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}

/** Undefined if the data has another ABI encoding than expected: viem's decoder then throws one of these errors. */
export function unlessMalformed<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof BaseError || cause instanceof TypeError || cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** The items in groups of `size`, the last one with the rest. */
export const inParts = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) => items.slice(part * size, (part + 1) * size));
