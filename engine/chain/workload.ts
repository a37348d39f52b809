import type { Product } from './capabilities.ts';
import type { Pace } from './rpcEndpoint.ts';

/** Units of an answer before one was measured: of a token's first check, and of a quote in a new market. */
const firstExpected: Record<Product, number> = { check: 1_200, quote: 200 };
/** The part of the deadline within which the requests of a new answer must be sent. */
const admittedShare = 0.75;
/** Milliseconds until a call that the budget never allows may be tried again: a learnt budget grows. */
const neverMs = 60_000;
/** Units of an average call. */
const averageUnits = 26;
/** An admitted answer that has not begun within this time will not: its payment was refused. */
const reservedMs = 20_000;
/** Weight of a cheaper answer in the expectation. A dearer one counts at once. */
const cheaperWeight = 0.1;

interface Job {
  product: Product;
  /** Units that it will probably still use. */
  left: number;
  /** When it was admitted; undefined once it has begun. */
  admittedAt: number | undefined;
}

/** The answers that use one endpoint's budget, so that new ones are refused before a charge while it is used up. */
export interface Workload {
  /** Milliseconds until a further answer could be admitted; 0: now. */
  untilAdmitted(product: Product): number;
  /** Counts an answer that is about to begin. */
  admit(product: Product): void;
  /** Counts an answer that begins. */
  begin(product: Product): { spent(units: number): void; end(): void };
}

export function createWorkload(pace: Pace | undefined, now: () => number, deadlineMs: number): Workload {
  const jobs = new Set<Job>();
  const expected = { ...firstExpected };
  const forgetStale = () => {
    for (const job of jobs) if (job.admittedAt !== undefined && now() - job.admittedAt > reservedMs) jobs.delete(job);
  };
  return {
    untilAdmitted(product) {
      const budget = pace?.budget();
      if (!pace || (!budget && pace.heldMs() === 0)) return 0;
      forgetStale();
      const heldMs = Math.max(0, pace.heldMs() - admittedShare * deadlineMs);
      if (!budget) return heldMs;
      const perUnitMs = 1_000 / (budget.of === 'units' ? budget.perSecond : budget.perSecond * averageUnits);
      const others = [...jobs].reduce((sum, { left }) => sum + left, 0) * perUnitMs;
      const own = expected[product] * perUnitMs;
      const limitMs = admittedShare * deadlineMs;
      // A learnt budget is an estimate, so an answer that is alone is admitted.
      if (own > limitMs && !budget.isLearnt) return neverMs;
      return Math.max(heldMs, others + Math.min(own, limitMs) - limitMs, 0);
    },
    admit(product) {
      if (!pace?.budget()) return;
      jobs.add({ product, left: expected[product], admittedAt: now() });
    },
    begin(product) {
      const admitted = [...jobs].find((job) => job.product === product && job.admittedAt !== undefined);
      const job = admitted ?? { product, left: expected[product], admittedAt: undefined };
      job.admittedAt = undefined;
      jobs.add(job);
      let units = 0;
      return {
        spent(more) {
          units += more;
          job.left = Math.max(0, job.left - more);
        },
        end() {
          jobs.delete(job);
          const before = expected[product];
          expected[product] = units > before ? units : before + cheaperWeight * (units - before);
        },
      };
    },
  };
}
