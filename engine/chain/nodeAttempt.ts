import { RpcTransportError, WrongChainError } from '../errors.ts';
import type { BlockPace } from './blockPace.ts';
import type { ChainName } from './chains.ts';
import type { AbortReason } from './firstAnswer.ts';
import { farBehind } from './headLag.ts';
import {
  BlockGoneError,
  LensOverrunError,
  type Node,
  type NodeMemory,
  NodeRefusedError,
  newNodeMemory,
} from './node.ts';
import { createNodeHealth, type NodeHealth } from './nodeHealth.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';

/** A read at one node, possibly with several requests. Throws NodeRefusedError to continue with the next node. */
export type AtNode<T> = (node: Node) => Promise<T>;

/** A configured node of a chain, with the measurements and the memory of this process. */
export interface ConfiguredNode {
  endpoint: RpcEndpoint;
  health: NodeHealth;
  memory: NodeMemory;
  probing: boolean;
}

export const newConfiguredNode = (endpoint: RpcEndpoint, now: () => number): ConfiguredNode => ({
  endpoint,
  health: createNodeHealth(now),
  memory: newNodeMemory(),
  probing: false,
});

/** An RPC of another chain is a fault of the configuration or of the provider's routing; neither recovers quickly. */
const wrongChainRestMs = 60_000;

/**
 * Creates the function that runs a read at one node of a chain and records the result in the node's health. A failure that
 * is tried again at the same node does not count (`willRetry`).
 */
export function createAttempts(
  chain: ChainName,
  all: readonly ConfiguredNode[],
  now: () => number,
  pace?: Pick<BlockPace, 'saw'>,
) {
  const hashes = { proven: false };
  return async <T>(configured: ConfiguredNode, at: AtNode<T>, signal: AbortSignal, willRetry = false): Promise<T> => {
    const { endpoint, health, memory } = configured;
    const startedAt = now();
    const node: Node = {
      chain,
      label: endpoint.label,
      memory,
      hashes,
      block: undefined,
      send: (calls) => endpoint.send(calls, { signal }),
    };
    try {
      const value = await retryIfGone(node, at);
      const others = all.filter((other) => other !== configured).map(({ health: { head } }) => head);
      if (node.block && farBehind(node.block, others, now())) {
        throw new NodeRefusedError(`${node.label} is at block ${node.block.number}, far behind another node.`);
      }
      health.answered(now() - startedAt, node.block);
      if (node.block) pace?.saw(node.block);
      return value;
    } catch (error) {
      if (signal.aborted && (signal.reason as AbortReason) === 'superseded') health.superseded(now() - startedAt);
      else if (isNodeFailure(error) && !(error instanceof LensOverrunError) && !(willRetry && isRetryable(error)))
        fail(configured, error);
      throw error;
    }
  };
}

function fail(configured: ConfiguredNode, error: unknown): void {
  const retryAfterMs = error instanceof RpcTransportError ? error.retryAfterMs : undefined;
  configured.health.failed(error instanceof WrongChainError ? wrongChainRestMs : retryAfterMs);
  // After an outage another node may serve the same URL: test it again.
  if (configured.health.circuit.openMs() > 0) configured.memory = newNodeMemory();
}

async function retryIfGone<T>(node: Node, at: AtNode<T>): Promise<T> {
  try {
    return await at(node);
  } catch (error) {
    if (!(error instanceof BlockGoneError)) throw error;
    node.block = undefined;
    return at(node);
  }
}

/** Whether the only node may answer if it is tried again. */
export const isRetryable = (error: unknown): boolean => error instanceof RpcTransportError;

/** Failures of one node; other nodes may succeed. */
export function isNodeFailure(error: unknown): boolean {
  return error instanceof RpcTransportError || error instanceof NodeRefusedError || error instanceof WrongChainError;
}
