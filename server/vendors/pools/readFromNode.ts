import type { Hex } from 'viem';
import { blockParam, type LogRpc, logsLabel, takeResult } from '../logs/logRpc.ts';
import { header } from '../logs/readChainHead.ts';
import { readLogRanges } from '../logs/readLogRanges.ts';
import { type IndexedCreation, type PoolEvents, VendorUnavailableError } from '../ports.ts';
import { hexCount } from '../transport/wire.ts';

// Reads that compare an imported index with a node.

/** @throws {VendorUnavailableError | RpcTransportError} */
export async function readChainId(rpc: LogRpc): Promise<number> {
  const [reply] = await rpc.send([{ method: 'eth_chainId', params: [] }]);
  return takeResult(reply, hexCount);
}

/** Undefined if the node does not have the block. @throws {VendorUnavailableError | RpcTransportError} */
export async function readBlockHash(rpc: LogRpc, block: number): Promise<Hex | undefined> {
  const [reply] = await rpc.send([{ method: 'eth_getBlockByNumber', params: [blockParam(block), false] }]);
  return takeResult(reply, header.nullable())?.hash;
}

/** The pools in the logs of a range. @throws {VendorUnavailableError | RpcTransportError} */
export async function readPoolsOf(
  rpc: LogRpc,
  { filter, toCreation }: PoolEvents,
  range: { from: number; to: number },
): Promise<IndexedCreation[]> {
  const pools: IndexedCreation[] = [];
  for await (const { logs } of readLogRanges(rpc, { filter, ...range })) {
    if (logs.some(({ address }) => !filter.address.includes(address)))
      throw new VendorUnavailableError(logsLabel, 'malformed');
    pools.push(...logs.flatMap((log) => toCreation(log) ?? []));
  }
  return pools;
}

/** All fields of a pool. */
export const poolText = ({
  event,
  factory,
  id,
  currency0,
  currency1,
  fee,
  tickSpacing,
  hooks,
  blockNumber,
}: IndexedCreation): string =>
  [event, factory, id, currency0, currency1, fee, tickSpacing, hooks, blockNumber].join(' ');
