import type { Address, Hex } from 'viem';
import type { RpcReply } from './rpcEndpoint.ts';

/** One block, by number and hash. `timestamp` in seconds; `timeMs` in milliseconds, if the node returns them. */
export interface BlockRef {
  number: bigint;
  hash: Hex;
  parentHash: Hex;
  timestamp: bigint;
  timeMs?: number | undefined;
  /** The header's `miner` and `mixHash`; undefined if the node does not return them. */
  coinbase?: Address | undefined;
  prevRandao?: Hex | undefined;
}

/** A header as a node returns it, with quantities and bytes in hex. */
export type RawHeader = Readonly<Record<string, unknown>>;

/** Parses an `eth_getBlockByNumber` reply; undefined if it is null, an error or malformed. */
export function toBlockRef(reply: RpcReply | undefined): { block: BlockRef; header: RawHeader } | undefined {
  if (!reply || !('result' in reply) || typeof reply.result !== 'object' || reply.result === null) return undefined;
  const header = reply.result as RawHeader;
  const { number, hash, parentHash, timestamp, timestampMs, miner, mixHash } = header;
  if (!isQuantity(number) || !isQuantity(timestamp) || !isHash(hash) || !isHash(parentHash)) return undefined;
  const coinbase = isAddress(miner) ? miner : undefined;
  const prevRandao = isHash(mixHash) ? mixHash : undefined;
  const timeMs = toTimeMs(timestampMs, timestamp);
  const block = {
    number: BigInt(number),
    hash,
    parentHash,
    timestamp: BigInt(timestamp),
    timeMs,
    coinbase,
    prevRandao,
  };
  return { block, header };
}

/** Base's nodes add milliseconds, which the header's hash does not cover: they count only within the header's second. */
function toTimeMs(timestampMs: unknown, timestamp: Hex): number | undefined {
  if (!isQuantity(timestampMs) || BigInt(timestampMs) / 1_000n !== BigInt(timestamp)) return undefined;
  return Number(timestampMs);
}

/** The time of a block in milliseconds; without the node's, the start of its second. */
export const blockTimeMs = ({ timeMs, timestamp }: Pick<BlockRef, 'timeMs' | 'timestamp'>): number =>
  timeMs ?? Number(timestamp) * 1_000;

function isQuantity(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);
}

function isAddress(value: unknown): value is Address {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}
