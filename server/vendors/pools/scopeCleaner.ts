import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolIndexStore } from '../../storage/index.ts';

/** How long a scope must stay unchanged before it is deleted: another release writes to its own every few seconds. */
const unchangedMs = 86_400_000;
/** How often the other scopes are compared. */
const everyMs = 3_600_000;
/** Pools that one step deletes, so that other writers do not wait long. */
const deletedAtOnce = 2_000;

/** Deletes what other releases indexed. */
export interface ScopeCleaner {
  /** Compares the other scopes, unless this was done within the last hour. Call while the own index is complete. */
  start(): void;
  ended(): Promise<void>;
}

/**
 * Deletes scopes that did not change while this process watched them for a day. An older release may run beside a newer one
 * for longer than that, and must not delete what the newer one reads and writes.
 */
export function createScopeCleaner({
  store,
  scope,
  pauseMs,
  signal,
  now,
  onFault,
}: {
  store: PoolIndexStore;
  scope: string;
  pauseMs: number;
  signal: AbortSignal;
  now: () => number;
  onFault: (error: unknown) => void;
}): ScopeCleaner {
  const watched = new Map<string, { written: string; since: number }>();
  let running = Promise.resolve();
  let startedAt = Number.NEGATIVE_INFINITY;

  async function clean(): Promise<void> {
    for (const other of await store.loadOtherScopes(scope)) {
      const before = watched.get(other.scope);
      if (before?.written !== other.written) watched.set(other.scope, { written: other.written, since: now() });
      else if (now() - before.since >= unchangedMs) {
        while (!signal.aborted && (await store.deleteOtherScope(other, deletedAtOnce)))
          await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
        // If its release writes it again, it is watched for another day.
        watched.delete(other.scope);
      }
    }
  }

  return {
    start() {
      if (now() - startedAt < everyMs) return;
      startedAt = now();
      running = running.then(clean).catch(onFault);
    },
    ended: () => running,
  };
}
