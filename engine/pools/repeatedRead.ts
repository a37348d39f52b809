import type { Node } from '../chain/node.ts';

const keptMs = 600_000;
/** Delay before a failed read is repeated. */
const failedMs = 30_000;

/** A read that is repeated when its result is old. Concurrent callers share one read. */
export interface RepeatedRead {
  /** Reads if that is due. Never rejects. Resolves to false if no read was due. */
  refresh(node: Node): Promise<boolean>;
  /** Makes the next refresh read again, or, while a read is running, the first one after it. A failed read keeps its retry delay. */
  forget(): void;
}

/** @param read resolves to whether it succeeded; it may reject instead */
export function createRepeatedRead(now: () => number, read: (node: Node) => Promise<boolean>): RepeatedRead {
  let dueAt = 0;
  let hasFailed = false;
  /** Whether `forget()` was called since the last read began. */
  let isForgotten = false;
  let running: Promise<boolean> | undefined;

  async function start(node: Node): Promise<boolean> {
    isForgotten = false;
    hasFailed = !(await read(node).catch(() => false));
    dueAt = now() + (hasFailed ? failedMs : keptMs);
    running = undefined;
    return true;
  }

  return {
    async refresh(node) {
      const isDue = now() >= dueAt || (isForgotten && !hasFailed);
      if (!running && !isDue) return false;
      running ??= start(node);
      return running;
    },
    forget() {
      isForgotten = true;
    },
  };
}
