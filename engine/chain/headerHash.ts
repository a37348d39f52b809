import { type Hex, toRlp } from 'viem';
import { keccak256 } from '../keccak256.ts';
import type { RawHeader } from './blockRef.ts';

/** In the order of the RLP list (Yellow Paper, 4.3). */
const firstFields = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
];
/** Fields that later forks appended: EIP-1559, 4895, 4844 (two), 4788, 7685. */
const laterFields = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
];
/** Quantities: RLP encodes them without leading zeros. */
const quantities = new Set(
  'difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas'.split(' '),
);
/** Fields of a node's JSON that are not part of the hash. */
const unhashedFields = new Set(
  'hash size totalDifficulty transactions uncles withdrawals author l1BlockNumber sendRoot sendCount'.split(' '),
);
const known = new Set([...firstFields, ...laterFields]);

/** The last computed hash of a chain: reads within one block return the same header. */
export interface HashCache {
  last?: { header: string; hash: Hex | undefined };
}

/**
 * Computes a header's hash from its fields. Undefined if a field is unknown (from a fork newer than this code), missing or
 * malformed.
 */
export function headerHash(header: RawHeader, cache: HashCache): Hex | undefined {
  const text = JSON.stringify(header);
  if (text !== cache.last?.header) cache.last = { header: text, hash: computeHash(header) };
  return cache.last?.hash;
}

function computeHash(header: RawHeader): Hex | undefined {
  if (Object.keys(header).some((name) => !known.has(name) && !unhashedFields.has(name))) return undefined;
  const later = laterFields.filter((field) => fieldOf(header, field) !== undefined);
  if (later.some((field, index) => field !== laterFields[index])) return undefined;
  const values = [...firstFields, ...later].map((field) => fieldOf(header, field));
  return values.every((value) => value !== undefined) ? keccak256(toRlp(values)) : undefined;
}

function fieldOf(header: RawHeader, field: string): Hex | undefined {
  const value = header[field];
  if (typeof value !== 'string' || !/^0x[0-9a-f]*$/i.test(value)) return undefined;
  if (!quantities.has(field)) return value.length % 2 === 0 ? (value as Hex) : undefined;
  const digits = value.slice(2).replace(/^0+/, '');
  return `0x${digits.length % 2 ? '0' : ''}${digits}`;
}
