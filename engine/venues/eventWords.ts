import type { LowerAddress } from '../lowerAddress.ts';

// Values in the words of an event or an answer. Higher bits than the type has are ignored.

export const toAddress = (word = 0n): LowerAddress =>
  `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}` as LowerAddress;
export const toUint24 = (word = 0n): number => Number(BigInt.asUintN(24, word));
export const toInt24 = (word = 0n): number => Number(BigInt.asIntN(24, word));
