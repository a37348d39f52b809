import { type Address, type Hex, toFunctionSelector } from 'viem';
import type { SignedAuthorization } from './authorization.ts';

/**
 * A group of transfers in one transaction: a contract creation whose init code calls the token once for each payment.
 *
 * Each call has a gas limit of its own. A payer who gets code after the simulation (EIP-7702) can therefore burn the
 * gas of its own call only. Multicall3 has no such limit: one payer could burn the gas of the whole group.
 */

/** Position of each field of a record in the arguments of `transferWithAuthorization`: right-aligned in its word. */
const fields = [
  { word: 0, bytes: 20 }, // from
  { word: 1, bytes: 20 }, // to
  { word: 2, bytes: 16 }, // value
  { word: 3, bytes: 8 }, // validAfter
  { word: 4, bytes: 8 }, // validBefore
  { word: 5, bytes: 32 }, // nonce
  { word: 6, bytes: 1 }, // v
  { word: 8, bytes: 64 }, // r and s, two words
] as const;
/** Size of one record of the init code: 169, because records leave out the zeros before each field. */
const recordBytes = fields.reduce((sum, { bytes }) => sum + bytes, 0);
/** Size of the arguments in memory, and of one record of an earlier release. */
const argumentBytes = 288;
const selector = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
);
/** Size of one simulation result: success, gas used, size of the payer's code, size and start of the returned data. */
export const resultBytes = 288;
/** Maximum returned data of one simulation result. */
const returnedBytes = 160;

const push = (bytes: number, value: number | bigint): string =>
  (0x5f + bytes).toString(16) + value.toString(16).padStart(2 * bytes, '0');

const op = {
  add: '01',
  mul: '02',
  sub: '03',
  div: '04',
  gt: '11',
  codeSize: '38',
  codeCopy: '39',
  extCodeSize: '3b',
  returnDataSize: '3d',
  pop: '50',
  mload: '51',
  mstore: '52',
  jumpIf: '57',
  gas: '5a',
  jumpDest: '5b',
  push0: '5f',
  dup1: '80',
  dup2: '81',
  dup3: '82',
  swap1: '90',
  call: 'f1',
  return: 'f3',
  stop: '00',
} as const;

/** Memory layout: the selector ends at 0x20; then come the arguments of one transfer, then the results. */
const argumentsAt = 0x20;
const resultsAt = argumentsAt + argumentBytes;
const calldataBytes = 4 + argumentBytes;

/** Copies each field to the end of its word. The bytes before it stay zero. */
const copyRecord = fields
  .map(({ word, bytes }, index) => {
    const from = fields.slice(0, index).reduce((sum, field) => sum + field.bytes, 0);
    return (
      push(1, bytes) + op.dup2 + push(1, from) + op.add + push(2, argumentsAt + 32 * (word + 1) - bytes) + op.codeCopy
    );
  })
  .join('');
const callToken = (asset: Address, gas: bigint): string =>
  push(2, calldataBytes) + push(1, argumentsAt - 4) + op.push0 + push(20, BigInt(asset)) + push(3, gas) + op.call;

/** Advances the pointer to the next record, and jumps back if there is one. */
const nextRecord = (loopAt: number): string =>
  push(2, recordBytes) + op.add + op.dup1 + op.codeSize + op.gt + push(1, loopAt) + op.jumpIf;

/** Converts a pointer to a record to the offset of its result from the first result. */
const toResult = (recordsAt: number): string =>
  push(2, recordsAt) + op.swap1 + op.sub + (push(2, recordBytes) + op.swap1 + op.div) + (push(2, resultBytes) + op.mul);

function assemble(
  body: (recordsAt: number) => { start: string; loop: (loopAt: number) => string; end: string },
): string {
  // Every value has a fixed width, so the length does not depend on where the records begin.
  const lengthOf = (recordsAt: number): number => {
    const { start, loop, end } = body(recordsAt);
    return (start.length + loop(0).length + end.length) / 2;
  };
  const recordsAt = lengthOf(0);
  const { start, loop, end } = body(recordsAt);
  return start + loop(start.length / 2) + end;
}

const digits = (value: bigint, bytes: number): string => value.toString(16).padStart(2 * bytes, '0');

/**
 * Whether a record can hold the payment: an amount below 2^128 and times below 2^64. An authorization may exceed these.
 */
export const fitsRecord = ({ value, validAfter, validBefore }: SignedAuthorization): boolean =>
  value < 2n ** 128n && validAfter < 2n ** 64n && validBefore < 2n ** 64n;

/** Encodes the arguments of one transfer, with the signature as v, r and s. */
function toRecord({ from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization): string {
  const [halves, v] = [signature.slice(2, 130), signature.slice(130, 132)];
  const numbers = [digits(value, 16), digits(validAfter, 8), digits(validBefore, 8)].join('');
  return `${from.slice(2)}${to.slice(2)}${numbers}${nonce.slice(2)}${v}${halves}`.toLowerCase();
}

const prologue = (recordsAt: number): string => push(4, BigInt(selector)) + op.push0 + op.mstore + push(2, recordsAt);

/**
 * Init code that makes each transfer with `gasEach`, and continues if one fails. It creates an account without code.
 *
 * @param payments at most 64, each signed by a plain key (65 bytes)
 */
export function encodeGroup(asset: Address, payments: readonly SignedAuthorization[], gasEach: bigint): Hex {
  const code = assemble((recordsAt) => ({
    start: prologue(recordsAt),
    loop: (loopAt) =>
      op.jumpDest + copyRecord + op.push0 + op.push0 + callToken(asset, gasEach) + op.pop + nextRecord(loopAt),
    end: op.stop,
  }));
  return `0x${code}${payments.map(toRecord).join('')}`;
}

const codeBytes = (encodeGroup('0x00', [], 0n).length - 2) / 2;

/** Bytes of a group's init code, which depend on the number of its payments only. */
export const groupBytes = (payments: number): number => codeBytes + payments * recordBytes;

/** The same calls for `eth_call`; returns `resultBytes` for each. */
export function encodeGroupTrial(asset: Address, payments: readonly SignedAuthorization[], gasEach: bigint): Hex {
  const code = assemble((recordsAt) => ({
    start: prologue(recordsAt),
    loop: (loopAt) =>
      op.jumpDest +
      copyRecord +
      (op.dup1 + toResult(recordsAt) + push(2, resultsAt) + op.add) +
      op.gas +
      (push(1, returnedBytes) + op.dup3 + push(1, 0x80) + op.add) +
      callToken(asset, gasEach) +
      (op.dup3 + op.mstore) +
      (op.gas + op.swap1 + op.sub + op.dup2 + push(1, 0x20) + op.add + op.mstore) +
      (push(1, argumentsAt) + op.mload + op.extCodeSize + op.dup2 + push(1, 0x40) + op.add + op.mstore) +
      (op.returnDataSize + op.dup2 + push(1, 0x60) + op.add + op.mstore) +
      op.pop +
      nextRecord(loopAt),
    end: toResult(recordsAt) + push(2, resultsAt) + op.return,
  }));
  return `0x${code}${payments.map(toRecord).join('')}`;
}

/** The first operation of a loop of an earlier release, which copied a record of whole words at once. */
const copiesWords = push(2, argumentBytes);

/** Payer, value (64 digits) and nonce of each transfer in init code of either release, as hex digits without prefix. */
export function recordsOfGroup(data: Hex): { from: string; value: string; nonce: string }[] {
  // The code begins with: push the selector, store it, push where the records begin, mark the loop.
  const recordsAt = Number(`0x${data.slice(18, 22)}`);
  const isEarlier = data.startsWith(copiesWords, 24);
  const bytes = isEarlier ? argumentBytes : recordBytes;
  const records = data.slice(2 + 2 * recordsAt);
  return Array.from({ length: records.length / (2 * bytes) }, (_, index) => {
    const at = (from: number, size: number) =>
      records.slice(2 * (bytes * index + from), 2 * (bytes * index + from + size));
    if (isEarlier) return { from: at(12, 20), value: at(64, 32), nonce: at(160, 32) };
    return { from: at(0, 20), value: at(40, 16).padStart(64, '0'), nonce: at(72, 32) };
  });
}

/** Whether a call's data is init code of a group. */
export const isGroup = (data: Hex): boolean => data.startsWith(`0x${push(4, BigInt(selector))}`);

/** The simulated result of one transfer. */
export interface TrialResult {
  success: boolean;
  gasUsed: bigint;
  /** The payer has code: a contract wallet, or a key that delegates to one (EIP-7702). */
  isContract: boolean;
  /** The first 160 bytes of the data that the token returned. */
  returned: Hex;
}

/** Undefined if the length of `data` does not match `count` results. */
export function decodeGroupTrial(data: Hex, count: number): TrialResult[] | undefined {
  if (data.length !== 2 + 2 * resultBytes * count) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const start = 2 + 2 * resultBytes * index;
    const at = (offset: number, length = 64) => data.slice(start + offset, start + offset + length);
    const size = Math.min(Number(BigInt(`0x${at(192)}`)), returnedBytes);
    return {
      success: BigInt(`0x${at(0)}`) === 1n,
      gasUsed: BigInt(`0x${at(64)}`),
      isContract: BigInt(`0x${at(128)}`) > 0n,
      returned: `0x${at(256, 2 * size)}`,
    };
  });
}

/** Gas around one call: copying its arguments, and the loop. */
const gasAroundCall = 600n;

/**
 * The gas limit of the group's transaction, without L1 data. Each call has `gasEach`, even if the others burn theirs.
 */
export function groupGasLimit(data: Hex, count: number, gasEach: bigint): bigint {
  const bytes = Buffer.from(data.slice(2), 'hex');
  let calldata = 0;
  for (const byte of bytes) calldata += byte === 0 ? 4 : 16;
  const words = BigInt(Math.ceil(bytes.length / 32));
  // Gas of a transaction, a creation and its init code.
  const intrinsic = 21_000n + 32_000n + BigInt(calldata) + 2n * words;
  // A call forwards at most 63/64 of the gas left (EIP-150), so the last call needs gasEach / 63 more.
  return intrinsic + BigInt(count) * (gasEach + gasAroundCall) + gasEach / 63n + 10_000n;
}
