import type { BlockRef } from './blockRef.ts';
import type { ChainName } from './chains.ts';
import type { HashCache } from './headerHash.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** A node responded without a usable result: rate limit, unknown method, inconsistent block. Another node may succeed. */
export class NodeRefusedError extends Error {
  override readonly name: string = 'NodeRefusedError';
}

/** The block of the read was reorganised away or pruned. Retry at a newer one. */
export class BlockGoneError extends NodeRefusedError {
  override readonly name: string = 'BlockGoneError';
}

/** The node has another block of this number than an earlier read, so the chain was reorganised. It did not fail. */
export class BlockReplacedError extends BlockGoneError {
  override readonly name = 'BlockReplacedError';
}

/** The node does not have the block at which an earlier node read. Another node may have it. It did not fail. */
export class OtherForkError extends NodeRefusedError {
  override readonly name = 'OtherForkError';
}

/**
 * A call of a lens failed while it ran, on a node that ran this lens before: a token or a pool used up its gas. Another
 * node may allow more gas. The failure does not count against the node, or one hostile token could exclude all nodes.
 */
export class LensOverrunError extends NodeRefusedError {
  override readonly name = 'LensOverrunError';
}

/** A node did not return the code of a deployed contract. It can still answer without it, so it does not count either. */
export class CodeUnreadError extends NodeRefusedError {
  override readonly name = 'CodeUnreadError';
}

/** Whether the message reports a failed execution. The wording differs between geth, Erigon, Nethermind, reth and anvil. */
export const isOverrun = (message: string): boolean =>
  /out ?of ?gas|gas (?:limit|required)|exceeds.*gas|execution (?:reverted|aborted)|\brevert|invalid opcode|EVM error|VM execution error/i.test(
    message,
  );

/** State of a node across requests; reset after an outage. */
export interface NodeMemory {
  /** Its chain id was verified. */
  checked: boolean;
  /** Calls in a batch that the node accepts, as far as known, and the largest batch that it accepted. */
  maxBatch: number;
  provenBatch: number;
  /** How markets are read; undefined = not tried. `quoters`: the node does not support state overrides. */
  readMode: 'override' | 'quoters' | undefined;
  /** When `readMode` became `quoters`, in milliseconds; the lens is retried later. */
  readModeSince: number;
  /**
   * Whether the node runs the simulated trades of a check. `short`: without the blocks between their moments. `no`: it has no
   * `eth_simulateV1`, or runs other blocks than requested.
   */
  simulates: 'yes' | 'short' | 'no' | 'unknown';
  /** When `simulates` became `short` or `no`, in milliseconds; both are tried again later. */
  simulatesSince: number;
  /** When a simulation last failed, in milliseconds; undefined: never. */
  simulationFailedAt: number | undefined;
  /** From the last header that the node returned, in wei per gas; 0 if headers have none. */
  baseFee: bigint | undefined;
  /** The highest gas limit of a call that the node accepts; undefined: it has refused none. */
  gasCap: bigint | undefined;
  /** Arbitrum: wei for each unit of a call's data on Ethereum; undefined: to be read; 0: none. */
  l1PricePerUnit: bigint | undefined;
  /** Whether the node answers calls of a block a few seconds old. */
  pastBlocks: Known;
  /** `no`: the node refuses or ignores the block overrides of `eth_call`. */
  blockOverrides: Known;
  /** How many blocks one request for logs may cover, as far as known. 0: none. */
  logRange: number | undefined;
  /** The size of the smallest response that the node refused as too large; undefined: it refused none. */
  maxReplyBytes: number | undefined;
  /** When the capabilities were read, in milliseconds; undefined: not yet, or the node refused a call since. */
  probedAt: number | undefined;
}

/** Whether a node has a capability, as far as known. */
export type Known = 'yes' | 'no' | 'unknown';

/** A node during one attempt. */
export interface Node {
  readonly chain: ChainName;
  readonly label: string;
  readonly memory: NodeMemory;
  /** `proven`: a computed header hash of this chain matched, so that a mismatch is a fault of the node. */
  readonly hashes: HashCache & { proven: boolean };
  /** The block of this attempt, once a read was verified; later reads must be of the same one. */
  block: BlockRef | undefined;
  send(calls: readonly RpcCall[]): Promise<RpcReply[]>;
  /** Milliseconds that calls wait for the endpoint's budget at present. */
  backlogMs?(): number;
  /** Milliseconds since the endpoint last returned a response. After a pause TCP sends large requests in several round trips. */
  idleMs?(): number;
}

const unknownSimulation = { simulates: 'unknown', simulatesSince: 0, simulationFailedAt: undefined } as const;

export function newNodeMemory(): NodeMemory {
  return {
    checked: false,
    maxBatch: Number.POSITIVE_INFINITY,
    provenBatch: 1,
    readMode: undefined,
    readModeSince: 0,
    ...unknownSimulation,
    baseFee: undefined,
    gasCap: undefined,
    l1PricePerUnit: undefined,
    pastBlocks: 'unknown',
    blockOverrides: 'unknown',
    logRange: undefined,
    maxReplyBytes: undefined,
    probedAt: undefined,
  };
}
