import { type Hex, keccak256, toRlp } from 'viem';
import type { RawHeader } from './blockRef.ts';

/** In the order of the RLP list; `q` marks quantities, which lose their leading zeros there. Yellow paper, 4.3. */
const firstFields = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty q',
  'number q',
  'gasLimit q',
  'gasUsed q',
  'timestamp q',
  'extraData',
  'mixHash',
  'nonce',
];
/** What forks appended: EIP-1559, 4895, 4844 (two), 4788, 7685. */
const laterFields = [
  'baseFeePerGas q',
  'withdrawalsRoot',
  'blobGasUsed q',
  'excessBlobGas q',
  'parentBeaconBlockRoot',
  'requestsHash',
];
/** Fields of a node's JSON that are not part of the hash. */
const unhashedFields = new Set(
  'hash size totalDifficulty transactions uncles withdrawals author l1BlockNumber sendRoot sendCount'.split(' '),
);
const known = new Set([...firstFields, ...laterFields].map((field) => field.split(' ')[0]));

/**
 * Computes a header's hash from its fields. Undefined for an unknown field (from a fork newer than this code) or a missing
 * one.
 */
export function headerHash(header: RawHeader): Hex | undefined {
  // Cache the last result: reads within one block return the same header.
  const text = JSON.stringify(header);
  if (text !== last.text) last = { text, hash: computeHash(header) };
  return last.hash;
}

let last: { text: string; hash: Hex | undefined } = { text: '', hash: undefined };

function computeHash(header: RawHeader): Hex | undefined {
  if (Object.keys(header).some((name) => !known.has(name) && !unhashedFields.has(name))) return undefined;
  const later = laterFields.filter((field) => fieldOf(header, field) !== undefined);
  if (later.some((field, index) => field !== laterFields[index])) return undefined;
  const values = [...firstFields, ...later].map((field) => fieldOf(header, field));
  return values.every((value) => value !== undefined) ? keccak256(toRlp(values)) : undefined;
}

function fieldOf(header: RawHeader, field: string): Hex | undefined {
  const [name = '', quantity] = field.split(' ');
  const value = header[name];
  if (typeof value !== 'string' || !/^0x[0-9a-f]*$/i.test(value)) return undefined;
  if (!quantity) return value.length % 2 === 0 ? (value as Hex) : undefined;
  const digits = value.slice(2).replace(/^0+/, '');
  return `0x${digits.length % 2 ? '0' : ''}${digits}`;
}
