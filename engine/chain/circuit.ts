/** Remembers how an endpoint fares, and when it may be asked again after failing. */
export interface Circuit {
  /** Milliseconds until the endpoint may be asked again; 0 = now. */
  restMs(): number;
  /** Failures in a row. */
  failures(): number;
  succeeded(): void;
  failed(): void;
}

const failuresToOpen = 2;
const firstRestMs = 2_000;
const longestRestMs = 30_000;

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
    failed() {
      inARow += 1;
      const rest = Math.min(firstRestMs * 2 ** (inARow - failuresToOpen), longestRestMs);
      if (inARow >= failuresToOpen) restUntil = now() + rest;
    },
  };
}
