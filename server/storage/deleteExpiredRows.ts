import { deleteMovedRows } from './facts/deleteMovedRows.ts';
import type { Stores } from './openStores.ts';
import { forgetOld } from './payments/forgetOld.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Rows that one step deletes from a table, so that payments do not wait for it. */
const movedAtOnce = 5_000;
/** Retention of refused payments, for inspection by operators. */
const refusedMs = 30 * 24 * hourMs;

/**
 * Deletes expired rows periodically. Replicas may run it concurrently.
 * @param options.answersMs retention of answers in milliseconds
 */
export function deleteExpiredRows(
  { database, pools, answers, rates }: Pick<Stores, 'database' | 'pools' | 'answers' | 'rates'>,
  options: { now: () => number; answersMs: number; onFault: (error: unknown) => void },
): { close(): void } {
  const { now, answersMs, onFault } = options;
  const every = (ms: number, work: () => Promise<void>) => setInterval(() => void work().catch(onFault), ms).unref();
  const timers = [every(hourMs, () => forgetOld(database, now(), { answersMs, refusedMs }))];
  if (pools !== database) {
    const moving = every(minuteMs, async () => {
      if (!(await deleteMovedRows(database, movedAtOnce))) clearInterval(moving);
    });
    timers.push(moving);
  }
  if (database.isShared) {
    timers.push(
      every(minuteMs, async () => {
        await rates.forgetBefore(now() - 2 * minuteMs);
        await answers.forgetBefore(now() - minuteMs);
      }),
    );
  }
  return {
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
