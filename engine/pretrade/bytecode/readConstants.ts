import type { Hex } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';

/**
 * Limit of the number without its trailing zeros. Fewer than 2^72 numbers qualify, too few to find a key for one of
 * them.
 */
const maxWithoutZeros = 2n ** 64n;

/**
 * Whether 40 hex digits are an amount rather than an address: a small number followed by zeros, in decimal or binary.
 * Token amounts with 18 decimals are often as long as addresses.
 */
export function isRoundNumber(digits: string): boolean {
  let rest = BigInt(`0x${digits}`);
  if (rest === 0n || rest / (rest & -rest) < maxWithoutZeros) return true;
  while (rest >= maxWithoutZeros && rest % 10n === 0n) rest /= 10n;
  return rest < maxWithoutZeros;
}

/** Maximum number of constants kept of one contract. With this many, some may be missing, so a scan of owner powers
 * counts as incomplete. */
export const maxConstants = 48;
const push1 = 0x60;
const push20 = 0x73;
const push32 = 0x7f;

/**
 * Addresses that code pushes as constants: PUSH20, and PUSH32 with twelve zero bytes, as compilers write immutable
 * variables. Excludes small numbers, round numbers and masks.
 */
export function readConstants(code: Hex): LowerAddress[] {
  const found = new Set<LowerAddress>();
  for (let at = 2; at + 2 <= code.length && found.size < maxConstants; ) {
    const op = Number.parseInt(code.slice(at, at + 2), 16);
    const size = op >= push1 && op <= push32 ? op - push1 + 1 : 0;
    if (op === push20 || op === push32) {
      const word = code.slice(at + 2, at + 2 + 2 * size).padStart(64, '0');
      const address = toLowerAddress(`0x${word.slice(24)}`);
      const isAddress = /^0{24}/.test(word) && !/^0x(?:0{16}|f{16})/.test(address);
      if (isAddress && !isRoundNumber(address.slice(2))) found.add(address);
    }
    at += 2 + 2 * size;
  }
  return [...found];
}
