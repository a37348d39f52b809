import type { Database } from '../database/database.ts';

/** What one replica saw since it last told. */
interface CountedHits {
  subject: string;
  hits: number;
}

/** How often each subject came in a window of time, over all replicas. */
export interface RateCounts {
  /** Adds what was seen here, and tells what all have seen. */
  add(windowStart: number, seen: readonly CountedHits[]): Promise<CountedHits[]>;
  /** Forgets windows that began before. */
  forgetBefore(windowStart: number): Promise<void>;
}

/** Rows of one INSERT. */
const chunkSize = 500;

export function createRateCounts(database: Database): RateCounts {
  return {
    add: (windowStart, seen) =>
      database.write(async (sql) => {
        // In one order everywhere, so that replicas never wait for each other crosswise.
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
                .doUpdateSet((is) => ({ hits: is('rate_counts.hits', '+', is.ref('excluded.hits')) })),
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
