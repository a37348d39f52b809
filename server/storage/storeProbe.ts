import { sql } from 'kysely';
import { lookTogether } from '../time/lookTogether.ts';
import type { Sql } from './database/database.ts';
import { DatabaseUnavailableError } from './database/errors.ts';

/** An answer stands for so long: the path that asks is free, and anybody's. */
const standsMs = 1_000;
const patienceMs = 1_000;

/** Whether the database answers, and soon. However many ask, it is asked by one at a time, and once in a second. */
export function createStoreProbe(read: Sql, now: () => number): () => Promise<boolean> {
  const look = lookTogether(patienceMs, async () => {
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
