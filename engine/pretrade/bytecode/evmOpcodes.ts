/** EVM opcodes with a special case in `walkCode`. */
export const op = {
  stop: 0x00,
  sub: 0x03,
  div: 0x04,
  exp: 0x0a,
  lt: 0x10,
  gt: 0x11,
  eq: 0x14,
  iszero: 0x15,
  and: 0x16,
  or: 0x17,
  xor: 0x18,
  not: 0x19,
  shl: 0x1b,
  shr: 0x1c,
  origin: 0x32,
  caller: 0x33,
  callDataLoad: 0x35,
  callDataCopy: 0x37,
  number: 0x43,
  pop: 0x50,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  jumpdest: 0x5b,
  tstore: 0x5d,
  push0: 0x5f,
  push32: 0x7f,
  dup1: 0x80,
  dup16: 0x8f,
  swap1: 0x90,
  swap16: 0x9f,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  return: 0xf3,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfDestruct: 0xff,
} as const;

/** Number of words that opcodes take from the stack, by ranges of opcodes: [first, last, taken, added]. */
const ranges: readonly (readonly [first: number, last: number, taken: number, added: number])[] = [
  [0x00, 0x00, 0, 0], // STOP
  [0x01, 0x07, 2, 1], // ADD to SMOD
  [0x08, 0x09, 3, 1], // ADDMOD, MULMOD
  [0x0a, 0x0b, 2, 1], // EXP, SIGNEXTEND
  [0x10, 0x14, 2, 1], // LT to EQ
  [0x15, 0x15, 1, 1], // ISZERO
  [0x16, 0x18, 2, 1], // AND, OR, XOR
  [0x19, 0x19, 1, 1], // NOT
  [0x1a, 0x1d, 2, 1], // BYTE, SHL, SHR, SAR
  [0x1e, 0x1e, 1, 1], // CLZ
  [0x20, 0x20, 2, 1], // KECCAK256
  [0x30, 0x30, 0, 1], // ADDRESS
  [0x31, 0x31, 1, 1], // BALANCE
  [0x32, 0x34, 0, 1], // ORIGIN, CALLER, CALLVALUE
  [0x35, 0x35, 1, 1], // CALLDATALOAD
  [0x36, 0x36, 0, 1], // CALLDATASIZE
  [0x37, 0x37, 3, 0], // CALLDATACOPY
  [0x38, 0x38, 0, 1], // CODESIZE
  [0x39, 0x39, 3, 0], // CODECOPY
  [0x3a, 0x3a, 0, 1], // GASPRICE
  [0x3b, 0x3b, 1, 1], // EXTCODESIZE
  [0x3c, 0x3c, 4, 0], // EXTCODECOPY
  [0x3d, 0x3d, 0, 1], // RETURNDATASIZE
  [0x3e, 0x3e, 3, 0], // RETURNDATACOPY
  [0x3f, 0x40, 1, 1], // EXTCODEHASH, BLOCKHASH
  [0x41, 0x48, 0, 1], // COINBASE to BASEFEE
  [0x49, 0x49, 1, 1], // BLOBHASH
  [0x4a, 0x4a, 0, 1], // BLOBBASEFEE
  [0x50, 0x50, 1, 0], // POP
  [0x51, 0x51, 1, 1], // MLOAD
  [0x52, 0x53, 2, 0], // MSTORE, MSTORE8
  [0x54, 0x54, 1, 1], // SLOAD
  [0x55, 0x55, 2, 0], // SSTORE
  [0x56, 0x56, 1, 0], // JUMP
  [0x57, 0x57, 2, 0], // JUMPI
  [0x58, 0x5a, 0, 1], // PC, MSIZE, GAS
  [0x5b, 0x5b, 0, 0], // JUMPDEST
  [0x5c, 0x5c, 1, 1], // TLOAD
  [0x5d, 0x5d, 2, 0], // TSTORE
  [0x5e, 0x5e, 3, 0], // MCOPY
  [0xa0, 0xa0, 2, 0], // LOG0
  [0xa1, 0xa1, 3, 0],
  [0xa2, 0xa2, 4, 0],
  [0xa3, 0xa3, 5, 0],
  [0xa4, 0xa4, 6, 0], // LOG4
  [0xf0, 0xf0, 3, 1], // CREATE
  [0xf1, 0xf2, 7, 1], // CALL, CALLCODE
  [0xf3, 0xf3, 2, 0], // RETURN
  [0xf4, 0xf4, 6, 1], // DELEGATECALL
  [0xf5, 0xf5, 4, 1], // CREATE2
  [0xfa, 0xfa, 6, 1], // STATICCALL
  [0xfd, 0xfd, 2, 0], // REVERT
  [0xff, 0xff, 1, 0], // SELFDESTRUCT
];

/** Words that each opcode pops and pushes. Undefined for opcodes that do not exist, and for PUSH, DUP and SWAP. */
export const stackEffects: readonly (readonly [popped: number, pushed: number] | undefined)[] = Array.from(
  { length: 256 },
  (_, code) => {
    const range = ranges.find(([first, last]) => code >= first && code <= last);
    return range && ([range[2], range[3]] as const);
  },
);
