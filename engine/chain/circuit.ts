/** A circuit breaker for one endpoint. */
export interface Circuit {
  /** Milliseconds until the endpoint may be used again; 0 while the circuit is closed. */
  openMs(): number;
  /** Failures in a row. */
  failures(): number;
  succeeded(): void;
  /** @param retryAfterMs the endpoint's Retry-After, honoured up to a minute */
  failed(retryAfterMs?: number): void;
}

const failuresToOpen = 2;
const firstOpenMs = 2_000;
const longestOpenMs = 30_000;
const longestRetryAfterMs = 60_000;

/** Opens after two failures in a row; each further failure doubles the time it stays open, up to 30 s. */
export function createCircuit(now: () => number): Circuit {
  let inARow = 0;
  let openUntil = 0;
  return {
    openMs: () => Math.max(0, openUntil - now()),
    failures: () => inARow,
    succeeded() {
      inARow = 0;
      openUntil = 0;
    },
    failed(retryAfterMs = 0) {
      inARow += 1;
      const own = inARow >= failuresToOpen ? Math.min(firstOpenMs * 2 ** (inARow - failuresToOpen), longestOpenMs) : 0;
      const duration = Math.max(own, Math.min(retryAfterMs, longestRetryAfterMs));
      if (duration > 0) openUntil = Math.max(openUntil, now() + duration);
    },
  };
}
