import type { Logger } from 'pino';

/** One line of each kind at most in this time. */
const intervalMs = 10_000;

/**
 * Logs the first event of a kind, then one line with their number for each interval: a client that sends nothing but
 * errors must not fill the disk.
 * @returns a function to call for each event, and `flush` for the end of the process
 */
export function createCountedLog(
  log: Pick<Logger, 'info'>,
  { everyMs = intervalMs }: { everyMs?: number } = {},
): { count(kind: string, facts: object): void; flush(): void } {
  const waiting = new Map<string, { events: number; timer: NodeJS.Timeout }>();

  function end(kind: string): void {
    const { events = 0, timer } = waiting.get(kind) ?? {};
    clearTimeout(timer);
    waiting.delete(kind);
    if (events > 0) log.info({ events, withinMs: everyMs }, kind);
  }

  return {
    count(kind, facts) {
      const running = waiting.get(kind);
      if (running) {
        running.events += 1;
        return;
      }
      log.info(facts, kind);
      waiting.set(kind, { events: 0, timer: setTimeout(() => end(kind), everyMs).unref() });
    },
    flush() {
      for (const kind of waiting.keys()) end(kind);
    },
  };
}
