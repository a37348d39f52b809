/** A circuit breaker for one endpoint. */
export interface Circuit {
  /** Milliseconds until the endpoint may be used again; 0 while the circuit is closed. */
  restMs(): number;
  /** Failures in a row. */
  failures(): number;
  succeeded(): void;
  /** @param retryAfterMs the endpoint's Retry-After, honoured up to a minute */
  failed(retryAfterMs?: number): void;
}

const failuresToOpen = 2;
const firstRestMs = 2_000;
const longestRestMs = 30_000;
const longestRetryAfterMs = 60_000;

/** Opens after two failures in a row; the rest doubles with each further one, up to 30 s. */
export function createCircuit(now: () => number): Circuit {
  let inARow = 0;
  let restUntil = 0;
  return {
    restMs: () => Math.max(0, restUntil - now()),
    failures: () => inARow,
    succeeded() {
      inARow = 0;
      restUntil = 0;
    },
    failed(retryAfterMs = 0) {
      inARow += 1;
      const own = inARow >= failuresToOpen ? Math.min(firstRestMs * 2 ** (inARow - failuresToOpen), longestRestMs) : 0;
      const rest = Math.max(own, Math.min(retryAfterMs, longestRetryAfterMs));
      if (rest > 0) restUntil = Math.max(restUntil, now() + rest);
    },
  };
}
