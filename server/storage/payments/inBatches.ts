import { DatabaseUnavailableError } from '../database/errors.ts';

/** Larger batches would delay their first call. */
const most = 64;
/** Batches at once: a row that another replica holds delays only one of them. */
const lanes = 2;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Runs calls together that arrive in one turn of the event loop, or while earlier ones run: many payments share the
 * statements, round trips and disk syncs of one.
 *
 * @param one runs a call alone: when no other waits, and when its batch failed, so that a fault of one is not another's.
 *   If the database is unavailable, the whole batch fails
 * @param many all or nothing; one result for each item, in order
 */
export function inBatches<Item, Result>(
  one: (item: Item) => Promise<Result>,
  many: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;

  const runAlone = ({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> => one(item).then(resolve, reject);

  async function run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) return runAlone(only);
    let results: readonly Result[];
    try {
      results = await many(batch.map(({ item }) => item));
    } catch (error) {
      // Each alone would wait for the same timeout again.
      if (error instanceof DatabaseUnavailableError && !error.isLockTimeout) {
        for (const { reject } of batch) reject(error);
        return;
      }
      await Promise.all(batch.map(runAlone));
      return;
    }
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  }

  async function drain(): Promise<void> {
    await new Promise(setImmediate);
    while (waiting.length > 0) await run(waiting.splice(0, most));
    running -= 1;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running >= lanes) return;
      running += 1;
      void drain();
    });
}
