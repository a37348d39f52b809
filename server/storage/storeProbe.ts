import { sql } from 'kysely';
import { shareRunning } from '../time/shareRunning.ts';
import type { Sql } from './database/database.ts';
import { DatabaseUnavailableError } from './database/errors.ts';

/** Cache time of a result: the path is free and public. */
const standsMs = 1_000;
const patienceMs = 1_000;

/** Whether the database responds promptly. One query at a time, at most one per second, for any number of callers. */
export function createStoreProbe(read: Sql, now: () => number): () => Promise<boolean> {
  const look = shareRunning(patienceMs, async () => {
    try {
      await sql`SELECT 1`.execute(read);
      return true;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) return false;
      throw error;
    }
  });
  let last: { at: number; isThere: boolean } | undefined;

  return async () => {
    if (last && now() - last.at < standsMs) return last.isThere;
    const isThere = (await look()) ?? false;
    last = { at: now(), isThere };
    return isThere;
  };
}
