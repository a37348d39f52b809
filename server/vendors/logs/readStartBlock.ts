import { z } from 'zod';
import { type LowerAddress, RpcTransportError } from '../ports.ts';
import { blockParam, type LogRpc } from './logRpc.ts';

/** A contract that has had code since the first block. A node that returns this code is an archive node. */
export interface AncientContract {
  address: LowerAddress;
  block: number;
}

const code = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);
/** Probes per request: sixteen per round find one of 2^28 blocks in seven rounds. */
const parts = 16;

/**
 * The first block with code of the token, where a scan can start. Needs an archive node; returns 0 for any other node and
 * when a probe fails. For a contract that was destroyed and created again it may return the later creation.
 */
export async function readStartBlock(
  rpc: LogRpc,
  token: LowerAddress,
  head: number,
  ancient: AncientContract,
): Promise<number> {
  try {
    const [old, early] = await hasCode(rpc, [
      { address: ancient.address, block: ancient.block },
      { address: token, block: 0 },
    ]);
    if (old !== true || early !== false) return 0;
    let without = 0;
    let withCode = head;
    while (withCode - without > 1) {
      const step = Math.max(1, Math.ceil((withCode - without) / parts));
      const probes = Array.from({ length: parts }, (_, index) => without + step * (index + 1)).filter(
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
    // A failure on old states is not an outage; if it is one, the scan fails.
    if (error instanceof RpcTransportError) return 0;
    throw error;
  }
}

/** undefined: the node returned no code value. */
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
