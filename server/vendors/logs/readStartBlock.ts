import type { Address } from 'viem';
import { z } from 'zod';
import { RpcTransportError } from '../ports.ts';
import { blockParam, type LogRpc } from './logRpc.ts';

/** A contract that has had code since the chain's first block: only a node that says so keeps old states. */
export interface AncientContract {
  address: Address;
  block: number;
}

const code = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);
/** Probes of one request: sixteen parts a round find a block among 2^28 in seven rounds. */
const parts = 16;

/**
 * The first block in which the token had code, so that a scan need not begin at the chain's. Needs a
 * node that keeps old states; with any other, or when any probe fails, the answer is 0: begin at the beginning.
 * A contract that was destroyed and made again may be found at its later making.
 */
export async function readStartBlock(
  rpc: LogRpc,
  token: Address,
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
    // A node that chokes on old states is no outage: the scan itself will tell.
    if (error instanceof RpcTransportError) return 0;
    throw error;
  }
}

/** undefined: the node does not say. */
async function hasCode(rpc: LogRpc, probes: { address: Address; block: number }[]): Promise<(boolean | undefined)[]> {
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
