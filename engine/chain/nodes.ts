import { ChainUnavailableError, DeadlineExceededError } from '../errors.ts';
import { admit, toSeconds, unableOf } from './admission.ts';
import type { BlockPace } from './blockPace.ts';
import type { BlockRef } from './blockRef.ts';
import { capabilitiesOf, lackOf, type Product } from './capabilities.ts';
import type { ChainState, NodeState } from './chainState.ts';
import type { ChainName } from './chains.ts';
import { type Attempt, DeadlineError, firstAnswer } from './firstAnswer.ts';
import { BlockReplacedError, OtherForkError } from './node.ts';
import {
  type AtNode,
  type ConfiguredNode,
  createAttempts,
  fail,
  isNodeFailure,
  isRetryable,
  newConfiguredNode,
} from './nodeAttempt.ts';
import { hedgeDelay, toRanked, wasReached } from './nodeRank.ts';
import { createNodeTests } from './nodeTests.ts';
import { pause } from './pause.ts';
import { sendWithHeader } from './pinBlock.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';
import { hasFailedSimulations } from './simulationMemory.ts';

/** The nodes of one chain, the healthiest first, without those whose circuit is open, under one deadline. */
export interface Nodes {
  /**
   * For reads only: a slow node triggers a hedged request to the next one, and the first answer is returned. If all nodes
   * fail, they are tried again after pauses, until the deadline.
   * @param product what the read is for; nodes that cannot answer it are left out
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  read<T>(at: AtNode<T>, product?: Product): Promise<T>;
  /** Runs the read at every node, for the self-test; failures count for their circuits. */
  readEach<T>(at: AtNode<T>): Promise<PromiseSettledResult<T>[]>;
  /**
   * Whether a call can be answered: a node responds, has what the call needs, and its budget is not used up. Returns
   * at once when a node responded within the last `withinMs`; otherwise requests a header.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  reach(withinMs: number, product?: Product): Promise<void>;
  /** @param product also `down` if no node can answer this call */
  state(blockNumber: bigint | null, product?: Product): ChainState;
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
  /** Reads what a node can do. */
  probeCapabilities?: AtNode<void>;
  /** Receives the blocks that nodes return. */
  pace?: Pick<BlockPace, 'saw'>;
}

/** Pauses before the nodes are tried again. */
const pausesMs = [100, 400, 1_000, 2_000];

export function createNodes(options: NodesOptions): Nodes {
  const { chain, endpoints, now, deadlineMs, probe, probeCapabilities, pace } = options;
  const all = endpoints.map((endpoint) => newConfiguredNode(endpoint, now, deadlineMs));
  const attempt = createAttempts(chain, all, now, pace);
  let reaching: Promise<void> | undefined;

  const shortestRestSeconds = () =>
    toSeconds(
      Math.min(...all.map(({ health, endpoint }) => Math.max(health.circuit.openMs(), endpoint.pace?.heldMs() ?? 0))),
    );

  const tests = createNodeTests({ all, attempt, now, deadlineMs, probe, probeCapabilities });

  const nodes: Nodes = {
    async read(at, product) {
      const order = toRanked(all, { product, now: now() });
      const [first] = order;
      if (!first) throw new ChainUnavailableError(chain, shortestRestSeconds());
      tests.probeIdle(first);
      const attempts = toAttempts(order, deadlineMs, (configured, { signal, willRetry, as }) => {
        const job = product && configured.workload.begin(product);
        const running = attempt(configured, at, { signal, willRetry, as, ...(job && { onSent: job.spent }) });
        return running.finally(() => job?.end());
      });
      try {
        return await firstAnswer(attempts, { deadlineMs, isRetryable: isNodeFailure, mayRepeat: isRetryable });
      } catch (cause) {
        if (order.length === 1) countOnce(first, cause);
        if (cause instanceof DeadlineError) throw new DeadlineExceededError(chain, deadlineMs, { cause });
        if (isNodeFailure(cause)) throw new ChainUnavailableError(chain, shortestRestSeconds(), { cause });
        throw cause;
      }
    },
    readEach(at) {
      return Promise.allSettled(
        all.map((configured) => attempt(configured, at, { signal: AbortSignal.timeout(deadlineMs) })),
      );
    },
    async reach(withinMs, product) {
      if (!wasReached(all, withinMs, now())) {
        reaching ??= nodes
          .read(async (node) => {
            node.block = (await sendWithHeader(node, 'latest', [])).header;
          })
          .finally(() => {
            reaching = undefined;
          });
        await reaching;
      }
      if (product === undefined) return;
      await tests.refreshCapabilities(product);
      admit(chain, all, product, now());
    },
    state(blockNumber, product) {
      if (all.every(({ health }) => health.circuit.openMs() > 0)) {
        return { status: 'down', retryAfterSeconds: shortestRestSeconds() };
      }
      const unable = product && unableOf(all, product, now());
      if (unable) return { status: 'down', ...unable };
      const isLimited = ({ health, memory }: ConfiguredNode) =>
        health.circuit.failures() > 0 ||
        hasFailedSimulations(memory, now()) ||
        lackOf(memory, 'check', now()) !== undefined;
      return { status: all.some(isLimited) ? 'degraded' : 'ok', blockNumber };
    },
    states: () => all.map((configured, index) => toNodeState(configured, index, now())),
  };
  return nodes;
}

/**
 * Reads at a block of an earlier read. A node with another block of this number is not asked again; the others are.
 * @throws {BlockReplacedError} no node has the block
 * @throws {ChainUnavailableError | DeadlineExceededError}
 */
export async function readAtBlock<T>(nodes: Pick<Nodes, 'read'>, block: BlockRef, at: AtNode<T>): Promise<T> {
  try {
    return await nodes.read(async (node) => {
      node.block = block;
      try {
        return await at(node);
      } catch (error) {
        if (error instanceof BlockReplacedError) throw new OtherForkError(error.message);
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof ChainUnavailableError && error.cause instanceof OtherForkError)
      throw new BlockReplacedError(error.cause.message);
    throw error;
  }
}

/** Counts the attempts of one read at a single node as one failure, unless they waited for its budget. */
function countOnce(node: ConfiguredNode, error: unknown): void {
  const isLate = error instanceof DeadlineError;
  const last = isLate ? error.cause : error;
  const waits = (node.endpoint.pace?.waitMs() ?? 0) > 0;
  if (isLate && last === undefined && !waits) fail(node, new Error(`${node.endpoint.label} did not answer in time.`));
  else if (isRetryable(last) && !(isLate && waits)) fail(node, last);
}

type Run<T> = (
  configured: ConfiguredNode,
  options: { signal: AbortSignal; willRetry: boolean; as: 'patient' | 'impatient' },
) => Promise<T>;

/**
 * All nodes in order, then again after pauses: after a charge the answer is tried until its deadline. A node that is alone
 * gets the time that its budget needs; of several, the next one is used sooner.
 */
function toAttempts<T>(order: readonly ConfiguredNode[], deadlineMs: number, run: Run<T>): Attempt<T>[] {
  const isAlone = order.length === 1;
  return [0, ...pausesMs].flatMap((pauseMs, round) =>
    order.map((configured, index): Attempt<T> => {
      const isLastRound = round === pausesMs.length;
      return {
        async run(signal) {
          if (pauseMs > 0 && index === 0) await pause(pauseMs, signal);
          // The failures of one attempt after the other are one outage. Those of a single node are counted at the end.
          const willRetry = isAlone || (round > 0 && !isLastRound);
          return run(configured, { signal, willRetry, as: isAlone || round > 0 ? 'patient' : 'impatient' });
        },
        isRepeat: round > 0,
        // Never a hedged request to the same node.
        hedgeAfterMs:
          round > 0 || index === order.length - 1
            ? deadlineMs
            : hedgeDelay(configured, order[index + 1], index, deadlineMs / order.length),
      };
    }),
  );
}

const toNodeState = ({ endpoint, health, memory }: ConfiguredNode, index: number, now: number): NodeState => ({
  position: index + 1,
  isCircuitOpen: health.circuit.openMs() > 0,
  failuresInARow: health.circuit.failures(),
  latencyMs: health.latencyMs(),
  headAgeMs: health.headAgeMs(),
  isQuotersOnly: memory.readMode === 'quoters',
  capabilities: capabilitiesOf(memory, now),
  budget: endpoint.pace?.budget(),
  failure: health.circuit.failures() > 0 ? health.failure : undefined,
});
