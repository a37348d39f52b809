import { type Address, encodeAbiParameters, encodePacked, type Hex } from 'viem';
import { keccak256 } from '../keccak256.ts';
import type { LowerAddress } from '../lowerAddress.ts';

/** Encoding of the bytes whose hash is the CREATE2 salt of a pool. */
export type SaltRule =
  | 'packed pair'
  | 'packed pair and curve'
  | 'abi pair'
  | 'abi pair and fee'
  | 'abi pair and spacing';

export interface Derivation {
  /** The contract that creates pools: the factory, or a separate deployer. */
  deployer: Address;
  initCodeHash: Hex;
  salt: SaltRule;
}

/**
 * Computes the CREATE2 address of a pool.
 * @param variant fee in pips, tick spacing, or 1 for the stable curve; unused where a pair has one pool
 */
export function derivePool(
  { deployer, initCodeHash, salt }: Derivation,
  a: Address,
  b: Address,
  variant: number,
): LowerAddress {
  const [token0, token1] = BigInt(a) < BigInt(b) ? [a, b] : [b, a];
  const preimage = encodePacked(
    ['bytes1', 'address', 'bytes32', 'bytes32'],
    ['0xff', deployer, keccak256(saltBytes(salt, token0, token1, variant)), initCodeHash],
  );
  return `0x${keccak256(preimage).slice(26)}` as LowerAddress;
}

function saltBytes(rule: SaltRule, token0: Address, token1: Address, variant: number): Hex {
  const [address, uint24, int24] = [{ type: 'address' }, { type: 'uint24' }, { type: 'int24' }] as const;
  switch (rule) {
    case 'packed pair':
      return encodePacked(['address', 'address'], [token0, token1]);
    case 'packed pair and curve':
      return encodePacked(['address', 'address', 'bool'], [token0, token1, variant === 1]);
    case 'abi pair':
      return encodeAbiParameters([address, address], [token0, token1]);
    case 'abi pair and fee':
      return encodeAbiParameters([address, address, uint24], [token0, token1, variant]);
    case 'abi pair and spacing':
      return encodeAbiParameters([address, address, int24], [token0, token1, variant]);
  }
}
