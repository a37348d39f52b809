import type { Hex } from 'viem';
import type { BlockRef } from '../chain/blockRef.ts';
import type { Node } from '../chain/node.ts';
import { sendWithHeader } from '../chain/pinBlock.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { sendTogether } from '../chain/sendTogether.ts';

/** Calls collected for one HTTP request; each `add` gives back where its replies will stand. */
export function createBatch() {
  const calls: RpcCall[] = [];
  let replies: RpcReply[] | undefined;
  return {
    add(...added: RpcCall[]): () => (RpcReply | undefined)[] {
      const from = calls.length;
      calls.push(...added);
      return () => added.map((_, index) => replies?.[from + index]);
    },
    get size() {
      return calls.length;
    },
    /** @throws {RpcTransportError} */
    async send(node: Node): Promise<void> {
      if (calls.length > 0) replies = await sendTogether(node, calls);
    },
    /**
     * With the block's header beside the calls; undefined when there was nothing to send.
     * @throws {WrongChainError | NodeRefusedError | BlockGoneError | RpcTransportError}
     */
    async sendWithHeader(node: Node, block: Hex | 'latest'): Promise<BlockRef | undefined> {
      if (calls.length === 0) return undefined;
      const answered = await sendWithHeader(node, block, calls);
      replies = answered.replies;
      return answered.header;
    },
  };
}

/** The result, or undefined where the node refused the call. */
export function resultOf(reply: RpcReply | undefined): unknown {
  return reply && 'result' in reply ? reply.result : undefined;
}

export type Batch = ReturnType<typeof createBatch>;
