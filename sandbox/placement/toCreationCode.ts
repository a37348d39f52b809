import type { Hex } from 'viem';

/** Creation code for the given runtime bytes: PUSH3 size, DUP1, PUSH1 offset, PUSH0, CODECOPY, PUSH0, RETURN. */
export function toCreationCode(runtime: Hex): Hex {
  const size = ((runtime.length - 2) / 2).toString(16).padStart(6, '0');
  return `0x62${size}80600b5f395ff3${runtime.slice(2)}`;
}
