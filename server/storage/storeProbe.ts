import { sql } from 'kysely';
import { shareRunning } from '../time/shareRunning.ts';
import type { Sql } from './database/database.ts';
import { DatabaseUnavailableError } from './database/errors.ts';

/** Cache time of a result, because the endpoint is free and public. */
const cacheMs = 1_000;
const timeoutMs = 1_000;

/** Whether the database responds promptly. One query at a time, at most one per second, for any number of callers. */
export function createStoreProbe(read: Sql, now: () => number): () => Promise<boolean> {
  const probe = shareRunning(timeoutMs, async () => {
    try {
      await sql`SELECT 1`.execute(read);
      return true;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) return false;
      throw error;
    }
  });
  let last: { at: number; isAvailable: boolean } | undefined;

  return async () => {
    if (last && now() - last.at < cacheMs) return last.isAvailable;
    const isAvailable = (await probe()) ?? false;
    last = { at: now(), isAvailable };
    return isAvailable;
  };
}
