import { z } from 'zod';
import { type LowerAddress, RpcTransportError } from '../ports.ts';
import { blockParam, type LogRpc } from './logRpc.ts';

/** A contract with code since the first block. A node that returns its code at `block` is an archive node. */
export interface ArchiveProbe {
  address: LowerAddress;
  block: number;
}

const code = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);
/** Sixteen probes per request find one of 2^28 blocks in seven requests. */
const probesPerRequest = 16;

/**
 * The first block with code of the token, where a scan can start. Needs an archive node; returns 0 for any other node and
 * when a probe fails. For a contract that was destroyed and created again it may return the later creation.
 */
export async function readStartBlock(
  rpc: LogRpc,
  token: LowerAddress,
  head: number,
  archiveProbe: ArchiveProbe,
): Promise<number> {
  try {
    const [isArchive, hasEarlyCode] = await hasCode(rpc, [
      { address: archiveProbe.address, block: archiveProbe.block },
      { address: token, block: 0 },
    ]);
    if (isArchive !== true || hasEarlyCode !== false) return 0;
    let without = 0;
    let withCode = head;
    while (withCode - without > 1) {
      const step = Math.max(1, Math.ceil((withCode - without) / probesPerRequest));
      const probes = Array.from({ length: probesPerRequest }, (_, index) => without + step * (index + 1)).filter(
        (block) => block < withCode,
      );
      const found = await hasCode(
        rpc,
        probes.map((block) => ({ address: token, block })),
      );
      if (found.includes(undefined)) return 0;
      const first = found.indexOf(true);
      withCode = probes[first] ?? withCode;
      without = (first < 0 ? probes.at(-1) : probes[first - 1]) ?? without;
    }
    return withCode;
  } catch (error) {
    // Nodes may fail on old states only. In an outage the scan fails too.
    if (error instanceof RpcTransportError) return 0;
    throw error;
  }
}

/** Whether each address has code; undefined if the node returned none. */
async function hasCode(
  rpc: LogRpc,
  probes: { address: LowerAddress; block: number }[],
): Promise<(boolean | undefined)[]> {
  const calls = probes.map(({ address, block }) => ({
    method: 'eth_getCode',
    params: [address, blockParam(block)],
  }));
  const replies = await rpc.send(calls);
  return replies.map((reply) => {
    const parsed = 'result' in reply ? code.safeParse(reply.result).data : undefined;
    return parsed === undefined ? undefined : parsed !== '0x';
  });
}
