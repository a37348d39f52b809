import type { Database } from '../database/database.ts';

export interface LedgerContext {
  database: Database;
  /** Id of this process, stored in `holder` as the owner of the payments that it settles. */
  replica: string;
  now: () => number;
}
