import type { Stores } from './openStores.ts';
import { forgetOld } from './payments/forgetOld.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Retention of refused payments, for inspection by operators. */
const refusedMs = 30 * 24 * hourMs;

/**
 * Deletes expired rows periodically. Replicas may run it concurrently.
 * @param options.answersMs retention of answers in milliseconds
 */
export function deleteExpiredRows(
  { database, answers, rates }: Pick<Stores, 'database' | 'answers' | 'rates'>,
  options: { now: () => number; answersMs: number; onFault: (error: unknown) => void },
): { close(): void } {
  const { now, answersMs, onFault } = options;
  const every = (ms: number, work: () => Promise<void>) => setInterval(() => void work().catch(onFault), ms).unref();
  const timers = [every(hourMs, () => forgetOld(database, now(), { answersMs, refusedMs }))];
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
