import type { Node } from '../chain/nodes.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';

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
      if (calls.length > 0) replies = await node.send(calls);
    },
  };
}

/** The result, or undefined where the node refused the call. */
export function resultOf(reply: RpcReply | undefined): unknown {
  return reply && 'result' in reply ? reply.result : undefined;
}

export type Batch = ReturnType<typeof createBatch>;
