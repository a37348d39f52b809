import { DatabaseUnavailableError } from '../database/errors.ts';

/** Maximum calls in a batch. Larger batches would delay their first call. */
const maxBatchSize = 64;
/** Concurrent batches, so that a row locked by another replica delays only one of them. */
const maxConcurrent = 2;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Batches calls that arrive in one turn of the event loop, or while earlier batches run, so that many payments share
 * statements, round trips and disk syncs.
 *
 * If a batch fails, its calls run separately, so that one failure does not affect the others. If the database is
 * unavailable, all calls of the batch fail.
 *
 * @param one runs a single call
 * @param many runs a batch, completely or not at all; returns one result for each item, in order
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
      // Separate calls would only wait for the same timeout again.
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
    while (waiting.length > 0) await run(waiting.splice(0, maxBatchSize));
    running -= 1;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running >= maxConcurrent) return;
      running += 1;
      void drain();
    });
}
