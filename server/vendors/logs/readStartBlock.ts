import { z } from 'zod';
import { type LowerAddress, RpcTransportError } from '../ports.ts';
import { blockParam, type LogRpc } from './logRpc.ts';

/** A contract with code since the first block. A node that returns its code at a block has the state of that block. */
export type CodeProbe = LowerAddress;

const code = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);
/** Sixteen probes per request find one of 2^28 blocks in seven requests. */
const probesPerRequest = 16;
/** Without the state of earlier blocks, a search within fewer blocks than these saves no range of logs. */
const leastSearched = 10_000;

/**
 * The first block with code of the token, where a scan can start. A node with the states of recent blocks only finds a
 * token that was created in them. For a contract that was destroyed and created again it may return the later creation.
 * @returns undefined if the node has no state of the block before it, or if a probe fails
 */
export async function readStartBlock(
  rpc: LogRpc,
  token: LowerAddress,
  head: number,
  codeProbe: CodeProbe,
): Promise<number | undefined> {
  try {
    let before = { block: 0, isReadable: false };
    let withCode = head;
    while (withCode - before.block > (before.isReadable ? 1 : leastSearched)) {
      const step = Math.max(1, Math.ceil((withCode - before.block) / probesPerRequest));
      const blocks = Array.from({ length: probesPerRequest }, (_, index) => before.block + step * (index + 1)).filter(
        (block) => block < withCode,
      );
      const found = await hasCode(
        rpc,
        blocks.map((block) => ({ address: token, block })),
      );
      const first = found.indexOf(true);
      const last = first < 0 ? blocks.length - 1 : first - 1;
      withCode = blocks[first] ?? withCode;
      const block = blocks[last];
      if (block !== undefined) before = { block, isReadable: found[last] === false };
    }
    if (!before.isReadable) return undefined;
    // Nodes without the state of a block may return empty code for it. One request, so that one node answers both.
    const { block } = before;
    const [hasState, hasToken] = await hasCode(rpc, [
      { address: codeProbe, block },
      { address: token, block },
    ]);
    return hasState === true && hasToken === false ? withCode : undefined;
  } catch (error) {
    // Nodes may fail on old states only. In an outage the scan fails too.
    if (error instanceof RpcTransportError) return undefined;
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
