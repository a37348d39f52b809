import type { BlockRef } from './blockRef.ts';
import { type Circuit, createCircuit } from './circuit.ts';

/** Measurements of one node, for its rank among the nodes of its chain. */
export interface NodeHealth {
  readonly circuit: Circuit;
  /** The latest block it returned, and when. */
  readonly head: { block: BlockRef; at: number } | undefined;
  answered(tookMs: number, block: BlockRef | undefined): void;
  /** Aborted after `afterMs` because another node was faster. Counts as latency, not as failure. */
  superseded(afterMs: number): void;
  failed(askedRestMs?: number): void;
  /** When it last responded or failed; undefined before. */
  heardAt(): number | undefined;
  /** When it last responded; undefined before. */
  answeredAt(): number | undefined;
  /** Smoothed; undefined before the first response. */
  latencyMs(): number | undefined;
  /** Delay before a hedged request to the next node: the p95 of the latest responses. */
  hedgeAfterMs(): number;
  /** Lower is better. `bestBlock` is the chain's highest head. */
  score(bestBlock: bigint): number;
}

/** Weight of the newest measurement. */
const newest = 0.2;
const keptAnswers = 64;
const answersForP95 = 5;
const defaultHedgeMs = 500;
/** Shorter times measure the clock and the scheduler rather than the node. */
const minHedgeMs = 25;
/** Nodes within this ratio keep the configured order: the first one may be cheaper, and its caches stay warm. */
const bucketRatio = 1.5;
const lagMsPerBlock = 50;

/** @param now milliseconds */
export function createNodeHealth(now: () => number): NodeHealth {
  const circuit = createCircuit(now);
  const answers: number[] = [];
  let latencyMs: number | undefined;
  let failureRate = 0;
  let heardAt: number | undefined;
  let answeredAt: number | undefined;
  let head: NodeHealth['head'];

  const blend = (sample: number) => {
    latencyMs = latencyMs === undefined ? sample : latencyMs + newest * (sample - latencyMs);
  };
  return {
    circuit,
    get head() {
      return head;
    },
    answered(tookMs, block) {
      heardAt = now();
      answeredAt = heardAt;
      circuit.succeeded();
      failureRate *= 1 - newest;
      blend(tookMs);
      answers.push(tookMs);
      if (answers.length > keptAnswers) answers.shift();
      if (block) head = { block, at: heardAt };
    },
    superseded(afterMs) {
      if (afterMs > (latencyMs ?? 0)) blend(afterMs);
    },
    failed(askedRestMs) {
      heardAt = now();
      circuit.failed(askedRestMs);
      failureRate += newest * (1 - failureRate);
    },
    heardAt: () => heardAt,
    answeredAt: () => answeredAt,
    latencyMs: () => latencyMs,
    hedgeAfterMs() {
      if (answers.length < answersForP95) return defaultHedgeMs;
      const sorted = [...answers].sort((a, b) => a - b);
      return Math.max(minHedgeMs, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? defaultHedgeMs);
    },
    score(bestBlock) {
      const lag = head && bestBlock > head.block.number ? Number(bestBlock - head.block.number) : 0;
      const cost = 1 + (latencyMs ?? 0) * (1 + 10 * failureRate) + 100 * failureRate + lag * lagMsPerBlock;
      return Math.floor(Math.log(cost) / Math.log(bucketRatio));
    },
  };
}
