import { type BlockRef, blockTimeMs } from './blockRef.ts';
import { type Circuit, createCircuit } from './circuit.ts';

/** Measurements of one node, for its rank among the nodes of its chain. */
export interface NodeHealth {
  readonly circuit: Circuit;
  /** The latest block it returned, and when. */
  readonly head: { block: BlockRef; at: number } | undefined;
  answered(tookMs: number, block: BlockRef | undefined): void;
  /** Aborted after `afterMs` because another node was faster. Counts as latency, not as failure. */
  superseded(afterMs: number): void;
  failed(retryAfterMs?: number, message?: string): void;
  /** The message of the last failure. It contains the endpoint's label, no URL. */
  readonly failure: string | undefined;
  /** When it last responded or failed; undefined before. */
  lastContactAt(): number | undefined;
  /** When it last responded; undefined before. */
  answeredAt(): number | undefined;
  /** Smoothed; undefined before the first response. */
  latencyMs(): number | undefined;
  /** Delay before a hedged request to the next node: the p95 of the latest responses. */
  hedgeAfterMs(): number;
  /** Age of the latest block when it was requested, in milliseconds; undefined before the first one. */
  headAgeMs(): number | undefined;
  /** Lower is better. `leastAgeMs`: the least age of a head of this chain's nodes. */
  score(leastAgeMs: number): number;
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
/** Ages of heads differ by this much without a lag: by the whole seconds of timestamps, and by the time since the last block. */
const equalAgeMs = 2_000;
/** What a lag of one second costs, as latency: two seconds are as bad as 50 ms. */
const costOfLagSecond = 25;

/** @param now milliseconds */
export function createNodeHealth(now: () => number): NodeHealth {
  const circuit = createCircuit(now);
  const latencies: number[] = [];
  let latencyMs: number | undefined;
  let failureRate = 0;
  let lastContactAt: number | undefined;
  let answeredAt: number | undefined;
  let head: NodeHealth['head'];
  let failure: string | undefined;
  let headAgeMs: number | undefined;

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
      if (!block) return;
      head = { block, at: lastContactAt };
      // At the start of the read: a slow read must not count as a lag too.
      headAgeMs = lastContactAt - tookMs - blockTimeMs(block);
    },
    superseded(afterMs) {
      if (afterMs > (latencyMs ?? 0)) blend(afterMs);
    },
    get failure() {
      return failure;
    },
    failed(retryAfterMs, message) {
      lastContactAt = now();
      failure = message;
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
    headAgeMs: () => headAgeMs,
    score(leastAgeMs) {
      const lagMs = headAgeMs === undefined ? 0 : Math.max(0, headAgeMs - leastAgeMs - equalAgeMs);
      const costOfLag = (lagMs / 1_000) * costOfLagSecond;
      const cost = 1 + (latencyMs ?? 0) * (1 + 10 * failureRate) + 100 * failureRate + costOfLag;
      return Math.floor(Math.log(cost) / Math.log(bucketRatio));
    },
  };
}
