import type { BlockRef } from './blockRef.ts';
import { type Circuit, createCircuit } from './circuit.ts';

/** What was measured at one node; ranks it among the others of its chain. */
export interface NodeHealth {
  readonly circuit: Circuit;
  /** The latest block it showed, and when. */
  readonly head: { block: BlockRef; at: number } | undefined;
  answered(tookMs: number, block: BlockRef | undefined): void;
  /** Another one was faster; it had not answered for that long. No failure, and no credit. */
  outrun(afterMs: number): void;
  failed(askedRestMs?: number): void;
  /** When it last answered or failed; undefined before. */
  heardAt(): number | undefined;
  /** When it last answered; undefined before. */
  answeredAt(): number | undefined;
  /** Smoothed; undefined before the first answer. */
  latencyMs(): number | undefined;
  /** How long to wait for it before the next node is asked as well: the p95 of its latest answers. */
  patienceMs(): number;
  /** Lower is better; latency counts as much as failures and lag. `bestBlock` is the chain's highest head. */
  score(bestBlock: bigint): number;
}

/** Weight of the newest measurement. */
const newest = 0.2;
const keptAnswers = 64;
const answersForP95 = 5;
const firstPatienceMs = 500;
/** Below this the clock and the scheduler say more than the node. */
const leastPatienceMs = 25;
/** Nodes this much alike keep the order of the configuration: prices differ, and caches stay warm. */
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
    outrun(afterMs) {
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
    patienceMs() {
      if (answers.length < answersForP95) return firstPatienceMs;
      const sorted = [...answers].sort((a, b) => a - b);
      return Math.max(leastPatienceMs, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? firstPatienceMs);
    },
    score(bestBlock) {
      const lag = head && bestBlock > head.block.number ? Number(bestBlock - head.block.number) : 0;
      const cost = 1 + (latencyMs ?? 0) * (1 + 10 * failureRate) + 100 * failureRate + lag * lagMsPerBlock;
      return Math.floor(Math.log(cost) / Math.log(bucketRatio));
    },
  };
}
