import { createRequire, syncBuiltinESMExports } from 'node:module';

const promises = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: unknown };

interface Timer {
  at: number;
  order: number;
  run(): void;
  everyMs?: number;
}

/** The timers of the process. */
const readTimers = () => ({
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now,
  sleep: promises.setTimeout,
});

function restoreTimers({ dateNow, performanceNow, sleep, ...globals }: ReturnType<typeof readTimers>): void {
  Object.assign(globalThis, globals);
  Date.now = dateNow;
  performance.now = performanceNow;
  promises.setTimeout = sleep;
  syncBuiltinESMExports();
}

/** The first timer that is due until then. */
function nextOf(timers: ReadonlySet<Timer>, until: number): Timer | undefined {
  let next: Timer | undefined;
  for (const timer of timers) {
    if (timer.at > until) continue;
    if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
  }
  return next;
}

/**
 * Replaces the timers, `setImmediate`, `Date.now` and `performance.now` by a clock that only `advance` moves, so that
 * hours pass in milliseconds and events have one order. vitest's fake timers do not replace `node:timers/promises`.
 *
 * Call `restore` at the end.
 */
export function useVirtualTime(start: number) {
  const real = readTimers();
  const timers = new Set<Timer>();
  let immediates: (() => void)[] = [];
  let now = start;
  let order = 0;
  let elapsed = 0; // `performance.now` never goes back, as `now` does at a `reset`.

  function add(run: () => void, ms: number, everyMs?: number): Timer {
    order += 1;
    const timer = { at: now + Math.max(ms, everyMs ?? 0), order, run, ...(everyMs !== undefined && { everyMs }) };
    timers.add(timer);
    return Object.assign(timer, { unref: () => timer, ref: () => timer, hasRef: () => true });
  }
  const remove = (timer: Timer | undefined) => timer && timers.delete(timer);
  function sleep<T>(ms = 0, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        remove(timer);
        reject(new DOMException('The operation was aborted', 'AbortError'));
      };
      const timer = add(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, ms);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => add(() => run(...args), ms),
    clearTimeout: remove,
    setInterval: (run: () => void, ms = 0) => add(run, ms, Math.max(1, ms)),
    clearInterval: remove,
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => immediates.push(() => run(...args)),
  });
  Date.now = () => now;
  performance.now = () => elapsed + now;
  promises.setTimeout = sleep;
  syncBuiltinESMExports();

  /** Runs all promise callbacks and immediates that are due now. */
  async function settle(): Promise<void> {
    for (;;) {
      // Promise callbacks run to the end before an immediate of the real event loop.
      await new Promise<void>((resolve) => real.setImmediate(resolve));
      if (immediates.length === 0) return;
      const due = immediates;
      immediates = [];
      for (const run of due) run();
    }
  }

  return {
    now: () => now,
    settle,
    sleep,
    /** Runs everything that is due in the next `ms` milliseconds, in its order. */
    async advance(ms: number): Promise<void> {
      const until = now + ms;
      await settle();
      for (let next = nextOf(timers, until); next; next = nextOf(timers, until)) {
        now = Math.max(now, next.at);
        if (next.everyMs === undefined) timers.delete(next);
        else next.at = now + next.everyMs;
        next.run();
        await settle();
      }
      now = until;
    },
    /** Forgets all timers, and sets the clock. */
    reset(to: number): void {
      timers.clear();
      immediates = [];
      elapsed += now - to;
      now = to;
    },
    restore: () => restoreTimers(real),
  };
}

export type VirtualTime = ReturnType<typeof useVirtualTime>;
