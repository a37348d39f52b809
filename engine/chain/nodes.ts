import { setTimeout as sleep } from 'node:timers/promises';
import { ChainUnavailableError, DeadlineExceededError } from '../errors.ts';
import type { BlockPace } from './blockPace.ts';
import type { ChainState, NodeState } from './chainState.ts';
import type { ChainName } from './chains.ts';
import { type Attempt, DeadlineError, firstAnswer } from './firstAnswer.ts';
import {
  type AtNode,
  type ConfiguredNode,
  createAttempts,
  isNodeFailure,
  isRetryable,
  newConfiguredNode,
} from './nodeAttempt.ts';
import { sendWithHeader } from './pinBlock.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';
import { hasFailedSimulations, simulatesNow } from './simulationMemory.ts';

/** The nodes of one chain, the healthiest first, without those whose circuit is open, under one deadline. */
export interface Nodes {
  /**
   * For reads only: a slow node triggers a hedged request to the next one, and the first answer is returned.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  read<T>(at: AtNode<T>): Promise<T>;
  /** Runs the read at every node, for the self-test; failures count for their circuits. */
  readEach<T>(at: AtNode<T>): Promise<PromiseSettledResult<T>[]>;
  /**
   * Returns at once when a node responded within the last `withinMs`; otherwise requests a header.
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
  /** The self-test, run in the background on nodes that were not used for a while. */
  probe: AtNode<unknown>;
  /** Receives the blocks that nodes return. */
  pace?: Pick<BlockPace, 'saw'>;
}

const probeAfterMs = 15_000;
/** Pauses before further attempts at the only node. */
const retryPausesMs = [100, 400];

export function createNodes({ chain, endpoints, now, deadlineMs, probe, pace }: NodesOptions): Nodes {
  const all = endpoints.map((endpoint) => newConfiguredNode(endpoint, now));
  const attempt = createAttempts(chain, all, now, pace);
  let reaching: Promise<void> | undefined;

  const shortestRestSeconds = () =>
    Math.max(1, Math.ceil(Math.min(...all.map(({ health }) => health.circuit.openMs())) / 1000));

  /** Probes recovered and idle nodes in the background, so that their rank is measured. */
  function probeIdle(used: ConfiguredNode | undefined): void {
    for (const configured of all) {
      const { health } = configured;
      const lastContactAt = health.lastContactAt();
      const overdue =
        lastContactAt === undefined || now() - lastContactAt >= probeAfterMs || health.circuit.failures() > 0;
      if (configured === used || configured.probing || !overdue || health.circuit.openMs() > 0) continue;
      configured.probing = true;
      attempt(configured, probe, AbortSignal.timeout(deadlineMs)).then(
        () => {
          configured.probing = false;
        },
        // No caller receives this error. Any other error counts as a failure of the node too.
        (error: unknown) => {
          configured.probing = false;
          if (!isNodeFailure(error)) health.failed();
        },
      );
    }
  }

  const nodes: Nodes = {
    async read(at) {
      const order = toRanked(all);
      const [first, ...others] = order;
      if (!first) throw new ChainUnavailableError(chain, shortestRestSeconds());
      probeIdle(first);
      const attempts = order.map((configured, index) => ({
        run: (signal: AbortSignal) => attempt(configured, at, signal),
        hedgeAfterMs: hedgeDelay(configured, order[index + 1], index, deadlineMs / order.length),
      }));
      try {
        if (others.length === 0)
          return await firstAnswer(
            toPatient((signal, willRetry) => attempt(first, at, signal, willRetry), deadlineMs),
            { deadlineMs, isRetryable },
          );
        return await firstAnswer(attempts, { deadlineMs, isRetryable: isNodeFailure });
      } catch (cause) {
        if (cause instanceof DeadlineError) throw new DeadlineExceededError(chain, deadlineMs, { cause });
        if (isNodeFailure(cause)) throw new ChainUnavailableError(chain, shortestRestSeconds(), { cause });
        throw cause;
      }
    },
    readEach(at) {
      return Promise.allSettled(all.map((configured) => attempt(configured, at, AbortSignal.timeout(deadlineMs))));
    },
    async reach(withinMs) {
      if (wasReached(all, withinMs, now())) return;
      reaching ??= nodes
        .read(async (node) => {
          node.block = (await sendWithHeader(node, 'latest', [])).header;
        })
        .finally(() => {
          reaching = undefined;
        });
      await reaching;
    },
    state(blockNumber) {
      if (all.every(({ health }) => health.circuit.openMs() > 0)) {
        return { status: 'down', retryAfterSeconds: shortestRestSeconds() };
      }
      const isLimited = ({ health, memory }: ConfiguredNode) =>
        health.circuit.failures() > 0 || hasFailedSimulations(memory, now());
      const status = all.some(isLimited) ? 'degraded' : 'ok';
      return { status, blockNumber };
    },
    states: () => all.map((configured, index) => toNodeState(configured, index, now())),
  };
  return nodes;
}

/** With one node a single failed request would fail the answer, so the same node is tried again after pauses. */
const toPatient = <T>(run: (signal: AbortSignal, willRetry: boolean) => Promise<T>, deadlineMs: number): Attempt<T>[] =>
  [0, ...retryPausesMs].map((pauseMs, index) => ({
    async run(signal) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
      return run(signal, index < retryPausesMs.length);
    },
    // Never a hedged request to the same node.
    hedgeAfterMs: deadlineMs,
  }));

/** Sorts nodes by lens support, then by whether the last request failed, then by score; leaves out open circuits. */
function toRanked(all: readonly ConfiguredNode[]): ConfiguredNode[] {
  const leastAgeMs = Math.min(...all.map(({ health }) => health.headAgeMs() ?? Number.POSITIVE_INFINITY));
  const rank = ({ health, memory }: ConfiguredNode) => [
    memory.readMode === 'quoters' ? 1 : 0,
    health.circuit.failures() > 0 ? 1 : 0,
    health.score(leastAgeMs),
  ];
  return all
    .filter(({ health }) => health.circuit.openMs() === 0)
    .map((configured) => ({ configured, rank: rank(configured) }))
    .sort((a, b) => a.rank.map((value, at) => value - (b.rank[at] ?? 0)).find((by) => by !== 0) ?? 0)
    .map(({ configured }) => configured);
}

/** Whether a node responded recently, and has not failed since. */
function wasReached(all: readonly ConfiguredNode[], withinMs: number, now: number): boolean {
  return all.some(({ health: { circuit, answeredAt } }) => {
    const at = answeredAt();
    return circuit.failures() === 0 && at !== undefined && now - at <= withinMs;
  });
}

const toNodeState = ({ health, memory }: ConfiguredNode, index: number, now: number): NodeState => ({
  position: index + 1,
  isCircuitOpen: health.circuit.openMs() > 0,
  failuresInARow: health.circuit.failures(),
  latencyMs: health.latencyMs(),
  headAgeMs: health.headAgeMs(),
  isQuotersOnly: memory.readMode === 'quoters',
  simulates: simulatesNow(memory, now),
});

/**
 * The second request starts after the first node's p95, each further one after a share of the deadline. A node that cannot
 * run the lens also waits for that share, so that it does not replace a slow node that can.
 */
function hedgeDelay(
  configured: ConfiguredNode,
  next: ConfiguredNode | undefined,
  index: number,
  shareMs: number,
): number {
  const isFallback = next?.memory.readMode === 'quoters' && configured.memory.readMode !== 'quoters';
  return index === 0 && !isFallback ? Math.min(configured.health.hedgeAfterMs(), shareMs) : shareMs;
}
