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
  failed(retryAfterMs?: number): void;
  /** When it last responded or failed; undefined before. */
  lastContactAt(): number | undefined;
  /** When it last responded; undefined before. */
  answeredAt(): number | undefined;
  /** Smoothed; undefined before the first response. */
  latencyMs(): number | undefined;
  /** Delay before a hedged request to the next node: the p95 of the latest responses. */
  hedgeAfterMs(): number;
  /** Lower is better. `bestBlock` is the chain's highest head. */
  score(bestBlock: bigint): number;
}

/** Weight of the newest measurement in the moving averages. */
const newestWeight = 0.2;
const keptLatencies = 64;
const minLatenciesForP95 = 5;
const defaultHedgeMs = 500;
/** Shorter times measure the clock and the scheduler rather than the node. */
const minHedgeMs = 25;
/** Nodes within this ratio keep the configured order: the first one may be cheaper, and its caches stay warm. */
const bucketRatio = 1.5;
const lagMsPerBlock = 50;

/** @param now milliseconds */
export function createNodeHealth(now: () => number): NodeHealth {
  const circuit = createCircuit(now);
  const latencies: number[] = [];
  let latencyMs: number | undefined;
  let failureRate = 0;
  let lastContactAt: number | undefined;
  let answeredAt: number | undefined;
  let head: NodeHealth['head'];

  const blend = (sample: number) => {
    latencyMs = latencyMs === undefined ? sample : latencyMs + newestWeight * (sample - latencyMs);
  };
  return {
    circuit,
    get head() {
      return head;
    },
    answered(tookMs, block) {
      lastContactAt = now();
      answeredAt = lastContactAt;
      circuit.succeeded();
      failureRate *= 1 - newestWeight;
      blend(tookMs);
      latencies.push(tookMs);
      if (latencies.length > keptLatencies) latencies.shift();
      if (block) head = { block, at: lastContactAt };
    },
    superseded(afterMs) {
      if (afterMs > (latencyMs ?? 0)) blend(afterMs);
    },
    failed(retryAfterMs) {
      lastContactAt = now();
      circuit.failed(retryAfterMs);
      failureRate += newestWeight * (1 - failureRate);
    },
    lastContactAt: () => lastContactAt,
    answeredAt: () => answeredAt,
    latencyMs: () => latencyMs,
    hedgeAfterMs() {
      if (latencies.length < minLatenciesForP95) return defaultHedgeMs;
      const sorted = [...latencies].sort((a, b) => a - b);
      return Math.max(minHedgeMs, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? defaultHedgeMs);
    },
    score(bestBlock) {
      const lag = head && bestBlock > head.block.number ? Number(bestBlock - head.block.number) : 0;
      const cost = 1 + (latencyMs ?? 0) * (1 + 10 * failureRate) + 100 * failureRate + lag * lagMsPerBlock;
      return Math.floor(Math.log(cost) / Math.log(bucketRatio));
    },
  };
}
