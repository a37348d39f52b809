import { createRequire } from 'node:module';
import type { createKeccak as CreateKeccak } from 'hash-wasm';
import type { Hex } from 'viem';

// The file of this hash alone: the package's entry point contains all its algorithms.
const { createKeccak } = createRequire(import.meta.url)('hash-wasm/dist/keccak.umd.min.js') as {
  createKeccak: typeof CreateKeccak;
};
const hasher = await createKeccak(256);

function fromHex(value: Hex): Uint8Array {
  const bytes = Buffer.from(value.slice(2), 'hex');
  // Buffer stops at the first character that is not hex.
  if (2 + 2 * bytes.length !== value.length) throw new TypeError(`Cannot hash ${value.slice(0, 80)}: not hex bytes.`);
  return bytes;
}

/**
 * Keccak-256 in WebAssembly: the same results and signature as viem's, about ten times faster (ADR 008).
 *
 * @param value bytes, or hex with `0x` and an even number of digits
 * @throws {TypeError} the text is not hex, or has an odd number of digits
 * @param to `hex` (default) or `bytes`: the form of the 32 bytes
 */
export function keccak256(value: Hex | Uint8Array, to?: 'hex'): Hex;
export function keccak256(value: Hex | Uint8Array, to: 'bytes'): Uint8Array;
export function keccak256(value: Hex | Uint8Array, to: 'hex' | 'bytes' = 'hex'): Hex | Uint8Array {
  hasher.init().update(typeof value === 'string' ? fromHex(value) : value);
  return to === 'bytes' ? hasher.digest('binary') : `0x${hasher.digest('hex')}`;
}
