import { waitFor } from '../time/waitFor.ts';
import { releaseUnservedCredits } from './beginSettlement.ts';
import type { PaymentContext } from './paymentContext.ts';
import { recheckRefused } from './recheckRefused.ts';
import { recoverUnfinished } from './recoverUnfinished.ts';

/**
 * Reconciles payments at intervals, without a client: replicas stop, unknown outcomes become known, and known ones
 * change. The jobs run independently, so a hanging node delays only one of them.
 */
export function reconcileLoop(context: PaymentContext): { close(): Promise<void> } {
  const { reconcileMs, closeGraceMs } = context.timings;
  const jobs = [
    repeat(context, recoverUnfinished, 'Unfinished payments could not be recovered'),
    repeat(context, releaseUnservedCredits, 'Credits could not be released'),
    repeat(context, recheckRefused, 'Refused payments could not be rechecked'),
  ];
  const timer = setInterval(() => {
    for (const job of jobs) job.begin();
  }, reconcileMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await waitFor(Promise.all(jobs.map((job) => job.ended())), closeGraceMs);
    },
  };
}

/** Runs at most one round of a job at a time. */
function repeat(context: PaymentContext, work: (context: PaymentContext) => Promise<void>, failureMessage: string) {
  let running: Promise<void> | undefined;
  return {
    begin() {
      running ??= work(context)
        .catch((err) => context.logger.error({ err }, failureMessage))
        .finally(() => {
          running = undefined;
        });
    },
    ended: async () => running,
  };
}
