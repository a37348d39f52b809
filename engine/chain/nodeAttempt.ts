import { RpcTransportError, WrongChainError } from '../errors.ts';
import type { BlockPace } from './blockPace.ts';
import type { ChainName } from './chains.ts';
import type { AbortReason } from './firstAnswer.ts';
import { sendWithGas } from './gasOfCalls.ts';
import { farBehind } from './headLag.ts';
import {
  BlockGoneError,
  BlockReplacedError,
  CodeUnreadError,
  LensOverrunError,
  type Node,
  type NodeMemory,
  NodeRefusedError,
  newNodeMemory,
  OtherForkError,
} from './node.ts';
import { createNodeHealth, type NodeHealth } from './nodeHealth.ts';
import type { RpcCall, RpcEndpoint } from './rpcEndpoint.ts';
import { sendPaced } from './sendPaced.ts';
import { createWorkload, type Workload } from './workload.ts';

/** A read at one node, possibly with several requests. Throws NodeRefusedError to continue with the next node. */
export type AtNode<T> = (node: Node) => Promise<T>;

/** A configured node of a chain, with the measurements and the memory of this process. */
export interface ConfiguredNode {
  endpoint: RpcEndpoint;
  health: NodeHealth;
  memory: NodeMemory;
  /** The answers that use its budget. */
  workload: Workload;
  probing: boolean;
  /** The running test of its capabilities. */
  capabilityTest: Promise<void> | undefined;
  /** When it last returned a response, in milliseconds. */
  usedAt: number;
}

export const newConfiguredNode = (endpoint: RpcEndpoint, now: () => number, deadlineMs: number): ConfiguredNode => ({
  endpoint,
  workload: createWorkload(endpoint.pace, now, deadlineMs),
  health: createNodeHealth(now),
  memory: newNodeMemory(),
  probing: false,
  capabilityTest: undefined,
  usedAt: 0,
});

/** An RPC of another chain is a fault of the configuration or of the provider's routing; neither recovers quickly. */
const wrongChainRestMs = 60_000;

interface AttemptOptions {
  signal: AbortSignal;
  /** The failure is tried again at the same node, so it does not count. */
  willRetry?: boolean;
  /** Whether to wait for the endpoint's budget, or to fail if that takes long. */
  as?: 'patient' | 'impatient';
  /** Called with the units of each request. */
  onSent?: (units: number) => void;
}

/**
 * Creates the function that runs a read at one node of a chain and records the result in the node's health.
 * @param pace receives the blocks that nodes return
 */
export function createAttempts(
  chain: ChainName,
  all: readonly ConfiguredNode[],
  now: () => number,
  pace?: Pick<BlockPace, 'saw'>,
) {
  const hashes = { proven: false };
  return async <T>(configured: ConfiguredNode, at: AtNode<T>, options: AttemptOptions): Promise<T> => {
    const { signal, willRetry = false, as = 'patient', onSent } = options;
    const { endpoint, health, memory } = configured;
    const startedAt = now();
    let hasReplied = false;
    const send = async (calls: readonly RpcCall[]) => {
      const replies = await sendPaced(endpoint, calls, { signal, as, ...(onSent && { onSent }) });
      hasReplied = true;
      configured.usedAt = now();
      return replies;
    };
    const node: Node = {
      chain,
      label: endpoint.label,
      memory,
      hashes,
      block: undefined,
      send: (calls) => sendWithGas(memory, calls, send),
      backlogMs: () => endpoint.pace?.waitMs() ?? 0,
      idleMs: () => now() - configured.usedAt,
    };
    try {
      const value = await retryIfGone(node, at);
      const others = all.filter((other) => other !== configured).map(({ health: { head } }) => head);
      if (node.block && farBehind(node.block, others, now())) {
        throw new NodeRefusedError(`${node.label} is at block ${node.block.number}, far behind another node.`);
      }
      // A read that sent nothing shows nothing about the node: an open circuit would close.
      if (hasReplied) health.answered(now() - startedAt, node.block);
      if (node.block) pace?.saw(node.block);
      return value;
    } catch (error) {
      if (signal.aborted && (signal.reason as AbortReason) === 'superseded') health.superseded(now() - startedAt);
      // Calls that waited for the budget until the deadline are no failure of the node.
      else if (signal.aborted && error instanceof RpcTransportError && error.limited) throw error;
      else if (isNodeFailure(error) && !isHarmless(error) && !(willRetry && isRetryable(error)))
        fail(configured, error);
      // What the node refused once it may refuse again: its capabilities are read before the next charge.
      if (error instanceof NodeRefusedError && !(error instanceof BlockGoneError || isHarmless(error)))
        memory.probedAt = undefined;
      throw error;
    }
  };
}

/** Refusals that say nothing about the node's next answer. */
const isHarmless = (error: unknown) =>
  [BlockReplacedError, CodeUnreadError, LensOverrunError, OtherForkError].some((kind) => error instanceof kind);

/** Counts a failure for the node's circuit. */
export function fail(configured: ConfiguredNode, error: unknown): void {
  const retryAfterMs = error instanceof RpcTransportError ? error.retryAfterMs : undefined;
  const message = error instanceof Error ? error.message : undefined;
  configured.health.failed(error instanceof WrongChainError ? wrongChainRestMs : retryAfterMs, message);
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
export const isRetryable = (error: unknown): boolean =>
  error instanceof RpcTransportError || error instanceof BlockGoneError;

/** Failures of one node; other nodes may succeed. */
export function isNodeFailure(error: unknown): boolean {
  return error instanceof RpcTransportError || error instanceof NodeRefusedError || error instanceof WrongChainError;
}
