import type { Address, Hex } from 'viem';

/**
 * Runtime code of an ERC-1271 wallet that accepts any signature while `block.number <= last`, and reverts afterwards.
 *
 * @param salt different salts give different codes with the same behavior
 */
export const acceptsUntil = (last: bigint, salt = 0): Hex => {
  const number = last.toString(16).padStart(16, '0');
  const unused = salt.toString(16).padStart(8, '0');
  // PUSH8 last NUMBER GT PUSH1 end JUMPI PUSH4 magic PUSH1 e0 SHL PUSH0 MSTORE PUSH1 20 PUSH0 RETURN JUMPDEST PUSH0
  // PUSH0 REVERT
  return `0x67${number}4311601d57631626ba7e60e01b5f5260205ff3${'00'.repeat(2)}5b5f5ffd63${unused}`;
};

/** Runtime code of a minimal proxy (ERC-1167) that delegates every call to `address`. */
export const cloneOf = (address: Address): Hex =>
  `0x363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3`;

/** Runtime code that burns all gas: JUMPDEST PUSH0 JUMP. */
export const burnsAllGas: Hex = '0x5b5f56';

/** Runtime code of an ERC-1271 wallet that accepts any signature. */
export const acceptsAlways: Hex = '0x631626ba7e60e01b5f5260205ff3';

/** Runtime code of an ERC-1271 wallet that accepts only while PREVRANDAO is `random`, and reverts otherwise. */
export const acceptsAt = (random: Hex): Hex => `0x7f${random.slice(2)}44146029575f5ffd5b631626ba7e60e01b5f5260205ff3`;
