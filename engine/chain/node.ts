import type { BlockRef } from './blockRef.ts';
import type { ChainName } from './chains.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** A node answered, but not the question: rate limit, no such method, a block that does not hold together. Another may do better. */
export class NodeRefusedError extends Error {
  override readonly name: string = 'NodeRefusedError';
}

/** The block that was being read is not there any more: reorganised away, or pruned. A newer one may be. */
export class BlockGoneError extends NodeRefusedError {
  override readonly name = 'BlockGoneError';
}

/** What is known of a node across questions; forgotten when it has been away. */
export interface NodeMemory {
  /** Its chain id was right. */
  checked: boolean;
  /** It takes several calls in one request; undefined = not tried. */
  batches: boolean | undefined;
  /** How a market is read there; undefined = not tried. `quoters`: the node supports no state overrides. */
  rung: 'override' | 'quoters' | undefined;
  /** When `quoters` was found, in milliseconds: the lens is tried again after a while. */
  rungSince: number;
  /** From the last header that the node returned, in wei per gas; 0 if headers have none. */
  baseFee: bigint | undefined;
}

/** A node in the course of one attempt at one answer. */
export interface Node {
  readonly chain: ChainName;
  readonly label: string;
  readonly memory: NodeMemory;
  /** Hashes of this chain's headers have been worked out here and agreed: one that does not is a lie. */
  readonly hashes: { proven: boolean };
  /** The block of this attempt, once a read was verified; later reads must be of the same one. */
  block: BlockRef | undefined;
  send(calls: readonly RpcCall[]): Promise<RpcReply[]>;
}

export function newNodeMemory(): NodeMemory {
  return { checked: false, batches: undefined, rung: undefined, rungSince: 0, baseFee: undefined };
}
