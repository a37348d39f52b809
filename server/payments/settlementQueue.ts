import { setTimeout as sleep } from 'node:timers/promises';

/** As many payments as one transaction takes: when so many wait, they are sent whatever is in flight. */
const maxTogether = 64;
/**
 * After this time a task, or a group that is not included or not even sent, no longer delays the others: a node may
 * hang.
 */
export const defaultQueueTimeoutMs = 4_000;

interface Waiting<Task, Sent> {
  task: Task;
  since: number;
  resolve(sent: Sent): void;
  reject(error: unknown): void;
}

/** What waits and what was sent, for metrics. */
export interface QueueState {
  length: number;
  /** Milliseconds that the oldest has waited; 0 when nothing waits. */
  oldestMs: number;
}

/**
 * The payments of one network that wait to be sent. While nothing is in flight a payment is sent at once, so a lone
 * payment never waits. While a transaction is in flight the others collect, and share the next one; a full group goes at
 * once, so slow blocks do not limit how many payments a second are settled.
 *
 * @param send sends the tasks, and returns one result for each, in order; `ended` resolves when their transaction ended
 */
export function createSettlementQueue<Task, Sent>(
  send: (tasks: readonly Task[]) => Promise<{ results: readonly Promise<Sent>[]; ended: Promise<unknown> }>,
  timeoutMs = defaultQueueTimeoutMs,
): { add(task: Task): Promise<Sent>; state(): QueueState } {
  const waiting: Waiting<Task, Sent>[] = [];
  let isDraining = false;

  /** Resolves when the group's transaction ended, or nothing was sent. Never rejects. */
  async function sendGroup(group: readonly Waiting<Task, Sent>[]): Promise<void> {
    try {
      const { results, ended } = await send(group.map(({ task }) => task));
      for (const [index, { resolve, reject }] of group.entries()) results[index]?.then(resolve, reject);
      await ended.catch(() => undefined);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function sendNext(): Promise<void> {
    const limit = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: limit.signal, ref: false }).catch(() => undefined);
    await Promise.race([sendGroup(waiting.splice(0, maxTogether)), late]);
    limit.abort();
  }

  let onFull = (): void => undefined;
  const untilFull = (): Promise<void> =>
    new Promise((resolve) => {
      onFull = resolve;
    });

  async function drain(): Promise<void> {
    if (isDraining) return;
    isDraining = true;
    // Payments that arrive in one turn of the event loop go together.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const sending = sendNext();
      if (waiting.length < maxTogether) await Promise.race([sending, untilFull()]);
    }
    isDraining = false;
  }

  return {
    add: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, since: Date.now(), resolve, reject });
        if (waiting.length >= maxTogether) onFull();
        void drain();
      }),
    state: () => ({ length: waiting.length, oldestMs: waiting[0] ? Date.now() - waiting[0].since : 0 }),
  };
}
