import type { Address, Hex } from 'viem';

/** Runtime code of an ERC-1271 wallet that accepts any signature while `block.number <= last`, and reverts afterwards. */
export const acceptsUntil = (last: bigint, salt = 0): Hex => {
  const number = last.toString(16).padStart(16, '0');
  const unused = salt.toString(16).padStart(8, '0');
  // PUSH8 last NUMBER GT PUSH1 end JUMPI PUSH4 magic PUSH1 e0 SHL PUSH0 MSTORE PUSH1 20 PUSH0 RETURN JUMPDEST PUSH0
  // PUSH0 REVERT
  return `0x67${number}4311601d57631626ba7e60e01b5f5260205ff3${'00'.repeat(2)}5b5f5ffd63${unused}`;
};

/** Runtime code of a clone that delegates everything to one wallet. */
export const cloneOf = (address: Address): Hex =>
  `0x363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3`;

/** Runtime code of an honest ERC-1271 wallet, as far as payments are concerned: it accepts any signature. */
export const acceptsAlways: Hex = '0x631626ba7e60e01b5f5260205ff3';

/** Accepts only while PREVRANDAO is `random`, which no simulation can predict. */
export const acceptsAt = (random: Hex): Hex => `0x7f${random.slice(2)}44146029575f5ffd5b631626ba7e60e01b5f5260205ff3`;
