import type { Database } from '../database/database.ts';

/** Requests of one subject: a client address or a wallet. */
interface CountedHits {
  subject: string;
  hits: number;
}

/** Hits per subject in a time window, over all replicas. */
export interface RateCounts {
  /** Adds this replica's hits and returns the totals. */
  add(windowStart: number, seen: readonly CountedHits[]): Promise<CountedHits[]>;
  /** Deletes windows that began before this time. */
  forgetBefore(windowStart: number): Promise<void>;
}

/** Rows per INSERT. */
const chunkSize = 500;

export function createRateCounts(database: Database): RateCounts {
  return {
    add: (windowStart, seen) =>
      database.write(async (sql) => {
        // A fixed order avoids deadlocks between replicas.
        const sorted = seen.toSorted((left, right) => (left.subject < right.subject ? -1 : 1));
        const totals: CountedHits[] = [];
        for (let begin = 0; begin < sorted.length; begin += chunkSize) {
          const rows = sorted
            .slice(begin, begin + chunkSize)
            .map(({ subject, hits }) => ({ subject, window_start: windowStart, hits }));
          const counted = await sql
            .insertInto('rate_counts')
            .values(rows)
            .onConflict((conflict) =>
              conflict
                .columns(['subject', 'window_start'])
                .doUpdateSet((eb) => ({ hits: eb('rate_counts.hits', '+', eb.ref('excluded.hits')) })),
            )
            .returning(['subject', 'hits'])
            .execute();
          totals.push(...counted);
        }
        return totals;
      }),
    async forgetBefore(windowStart) {
      await database.write((sql) => sql.deleteFrom('rate_counts').where('window_start', '<', windowStart).execute());
    },
  };
}
