import type { ChainState } from '../engineTypes.ts';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../errors.ts';
import type { ChainName } from './chains.ts';
import { type Circuit, createCircuit } from './circuit.ts';
import type { RpcCall, RpcEndpoint, RpcReply } from './rpcEndpoint.ts';

/** A node answered, but not the question: rate limit, pruned block, no such method. Another node may do better. */
export class NodeRefusedError extends Error {
  override readonly name = 'NodeRefusedError';
}

/** What a caller does at one node; it may make several trips. Throws NodeRefusedError to have the next one asked. */
type AtNode<T> = (node: Node) => Promise<T>;

export interface Node {
  readonly label: string;
  send(calls: readonly RpcCall[]): Promise<RpcReply[]>;
}

/** The nodes of one chain: asked in order, skipped while they rest, one deadline over all. */
export interface Nodes {
  /** @throws {ChainUnavailableError | DeadlineExceededError} */
  ask<T>(at: AtNode<T>): Promise<T>;
  /** Each node by itself, for the self-test; failures count for its circuit. */
  askEach<T>(at: AtNode<T>): Promise<PromiseSettledResult<T>[]>;
  state(blockNumber: bigint | null): ChainState;
}

interface NodesOptions {
  chain: ChainName;
  endpoints: readonly RpcEndpoint[];
  now: () => number;
  deadlineMs: number;
}

export function createNodes({ chain, endpoints, now, deadlineMs }: NodesOptions): Nodes {
  const all = endpoints.map((endpoint) => ({ endpoint, circuit: createCircuit(now) }));

  const shortestRestSeconds = () =>
    Math.max(1, Math.ceil(Math.min(...all.map(({ circuit }) => circuit.restMs())) / 1000));

  return {
    async ask(at) {
      const startedAt = now();
      let cause: unknown;
      const awake = all.filter(({ circuit }) => circuit.restMs() === 0);
      for (const [index, { endpoint, circuit }] of awake.entries()) {
        const leftMs = deadlineMs - (now() - startedAt);
        if (leftMs <= 0) break;
        // A node that hangs may not use up the time of those behind it.
        const shareMs = leftMs / (awake.length - index);
        try {
          return await attempt(endpoint, circuit, shareMs, at);
        } catch (error) {
          if (!(error instanceof RpcTransportError || error instanceof NodeRefusedError)) throw error;
          cause = error;
        }
      }
      if (now() - startedAt >= deadlineMs * 0.95) throw new DeadlineExceededError(chain, deadlineMs, { cause });
      throw new ChainUnavailableError(chain, shortestRestSeconds(), { cause });
    },
    askEach(at) {
      return Promise.allSettled(all.map(({ endpoint, circuit }) => attempt(endpoint, circuit, deadlineMs, at)));
    },
    state(blockNumber) {
      if (all.every(({ circuit }) => circuit.restMs() > 0)) {
        return { status: 'down', retryAfterSeconds: shortestRestSeconds() };
      }
      const status = all.some(({ circuit }) => circuit.failures() > 0) ? 'degraded' : 'ok';
      return { status, blockNumber };
    },
  };
}

async function attempt<T>(endpoint: RpcEndpoint, circuit: Circuit, withinMs: number, at: AtNode<T>): Promise<T> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(withinMs)));
  try {
    const value = await at({ label: endpoint.label, send: (calls) => endpoint.send(calls, { signal }) });
    circuit.succeeded();
    return value;
  } catch (error) {
    if (error instanceof RpcTransportError || error instanceof NodeRefusedError) circuit.failed();
    throw error;
  }
}
