import type { Hex } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { isRoundNumber } from './isRoundNumber.ts';

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
