import type { ChainState, NodeState } from '../engineTypes.ts';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError, WrongChainError } from '../errors.ts';
import type { ChainName } from './chains.ts';
import { type Ended, firstAnswer, TimeUpError } from './firstAnswer.ts';
import { farBehind } from './headLag.ts';
import { BlockGoneError, type Node, type NodeMemory, NodeRefusedError, newNodeMemory } from './node.ts';
import { createNodeHealth, type NodeHealth } from './nodeHealth.ts';
import { sendWithHeader } from './pinBlock.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';

/** What a caller does at one node; it may make several trips. Throws NodeRefusedError to have the next one asked. */
type AtNode<T> = (node: Node) => Promise<T>;

/** The nodes of one chain: the healthiest first, skipped while they rest, one deadline over all. */
export interface Nodes {
  /**
   * Reads only: a slow node has the next one asked as well, and the first answer counts.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  ask<T>(at: AtNode<T>): Promise<T>;
  /** Each node by itself, for the self-test; failures count for its circuit. */
  askEach<T>(at: AtNode<T>): Promise<PromiseSettledResult<T>[]>;
  /**
   * Returns at once when a node answered within `withinMs`, and asks for a header otherwise.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  reach(withinMs: number): Promise<void>;
  state(blockNumber: bigint | null): ChainState;
  /** In the order of the configuration. */
  states(): NodeState[];
}

interface NodesOptions {
  chain: ChainName;
  endpoints: readonly RpcEndpoint[];
  now: () => number;
  deadlineMs: number;
  /** The self-test: run on nodes that were not heard of for a while, beside the traffic. */
  probe: AtNode<unknown>;
}

interface Member {
  endpoint: RpcEndpoint;
  health: NodeHealth;
  memory: NodeMemory;
  probing: boolean;
}

const probeAfterMs = 15_000;
/** An RPC of another chain is a fault of the configuration or of the provider's routing; neither passes quickly. */
const wrongChainRestMs = 60_000;

export function createNodes({ chain, endpoints, now, deadlineMs, probe }: NodesOptions): Nodes {
  const hashes = { proven: false };
  const all = endpoints.map(
    (endpoint): Member => ({ endpoint, health: createNodeHealth(now), memory: newNodeMemory(), probing: false }),
  );
  let reaching: Promise<void> | undefined;

  const shortestRestSeconds = () =>
    Math.max(1, Math.ceil(Math.min(...all.map(({ health }) => health.circuit.restMs())) / 1000));

  /** Those that run the lens first, then those that have not failed last, then by what was measured. */
  const ranked = () => {
    let best = 0n;
    for (const { health } of all) if (health.head && health.head.block.number > best) best = health.head.block.number;
    const rank = ({ health, memory }: Member) => [
      memory.rung === 'quoters' ? 1 : 0,
      health.circuit.failures() > 0 ? 1 : 0,
      health.score(best),
    ];
    return all
      .filter(({ health }) => health.circuit.restMs() === 0)
      .map((member) => ({ member, rank: rank(member) }))
      .sort((a, b) => a.rank.map((value, at) => value - (b.rank[at] ?? 0)).find((by) => by !== 0) ?? 0)
      .map(({ member }) => member);
  };

  async function attempt<T>(member: Member, at: AtNode<T>, signal: AbortSignal): Promise<T> {
    const { endpoint, health, memory } = member;
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
      const value = await onceMoreIfGone(node, at);
      const others = all.filter((other) => other !== member).map(({ health: { head } }) => head);
      if (node.block && farBehind(chain, node.block, others, now())) {
        throw new NodeRefusedError(`${node.label} is at block ${node.block.number}, far behind another node.`);
      }
      health.answered(now() - startedAt, node.block);
      return value;
    } catch (error) {
      if (signal.aborted && (signal.reason as Ended) === 'outrun') health.outrun(now() - startedAt);
      else if (isNodesOwn(error)) fail(member, error);
      throw error;
    }
  }

  function fail(member: Member, error: unknown): void {
    const asked = error instanceof RpcTransportError ? error.retryAfterMs : undefined;
    member.health.failed(error instanceof WrongChainError ? wrongChainRestMs : asked);
    // What comes back may be another node behind the same URL: it is tested anew.
    if (member.health.circuit.restMs() > 0) member.memory = newNodeMemory();
  }

  /** Beside the traffic, so that a node which is back, or stands idle, has a measured place in the order. */
  function probeTheUnheard(used: Member | undefined): void {
    for (const member of all) {
      const { health } = member;
      const heardAt = health.heardAt();
      const overdue = heardAt === undefined || now() - heardAt >= probeAfterMs || health.circuit.failures() > 0;
      if (member === used || member.probing || !overdue || health.circuit.restMs() > 0) continue;
      member.probing = true;
      attempt(member, probe, AbortSignal.timeout(deadlineMs)).then(
        () => {
          member.probing = false;
        },
        // Nobody waits for it. What is not the node's own failure counts against it all the same.
        (error: unknown) => {
          member.probing = false;
          if (!isNodesOwn(error)) health.failed();
        },
      );
    }
  }

  const nodes: Nodes = {
    async ask(at) {
      const order = ranked();
      const [first] = order;
      if (!first) throw new ChainUnavailableError(chain, shortestRestSeconds());
      probeTheUnheard(first);
      const ways = order.map((member, index) => ({
        run: (signal: AbortSignal) => attempt(member, at, signal),
        patienceMs: patienceOf(member, order[index + 1], index, deadlineMs / order.length),
      }));
      try {
        return await firstAnswer(ways, { deadlineMs, goesOn: isNodesOwn });
      } catch (cause) {
        if (cause instanceof TimeUpError) throw new DeadlineExceededError(chain, deadlineMs, { cause });
        if (isNodesOwn(cause)) throw new ChainUnavailableError(chain, shortestRestSeconds(), { cause });
        throw cause;
      }
    },
    askEach(at) {
      return Promise.allSettled(all.map((member) => attempt(member, at, AbortSignal.timeout(deadlineMs))));
    },
    async reach(withinMs) {
      const heard = all.some(({ health: { circuit, answeredAt } }) => {
        const at = answeredAt();
        return circuit.failures() === 0 && at !== undefined && now() - at <= withinMs;
      });
      if (heard) return;
      reaching ??= nodes
        .ask(async (node) => {
          node.block = (await sendWithHeader(node, 'latest', [])).header;
        })
        .finally(() => {
          reaching = undefined;
        });
      await reaching;
    },
    state(blockNumber) {
      if (all.every(({ health }) => health.circuit.restMs() > 0)) {
        return { status: 'down', retryAfterSeconds: shortestRestSeconds() };
      }
      const status = all.some(({ health }) => health.circuit.failures() > 0) ? 'degraded' : 'ok';
      return { status, blockNumber };
    },
    states: () =>
      all.map(({ health, memory }, index) => ({
        position: index + 1,
        isResting: health.circuit.restMs() > 0,
        failuresInARow: health.circuit.failures(),
        latencyMs: health.latencyMs(),
        head: health.head?.block.number,
        isQuotersOnly: memory.rung === 'quoters',
      })),
  };
  return nodes;
}

/**
 * The second request after the first one's p95; any further one when a fair share of the time has gone. A node that
 * answers less in full is no match for one that is only slow.
 */
function patienceOf(member: Member, next: Member | undefined, index: number, shareMs: number): number {
  const lesser = next?.memory.rung === 'quoters' && member.memory.rung !== 'quoters';
  return index === 0 && !lesser ? Math.min(member.health.patienceMs(), shareMs) : shareMs;
}

async function onceMoreIfGone<T>(node: Node, at: AtNode<T>): Promise<T> {
  try {
    return await at(node);
  } catch (error) {
    if (!(error instanceof BlockGoneError)) throw error;
    node.block = undefined;
    return at(node);
  }
}

/** Failures of one node, which say nothing about the others. */
function isNodesOwn(error: unknown): boolean {
  return error instanceof RpcTransportError || error instanceof NodeRefusedError || error instanceof WrongChainError;
}
