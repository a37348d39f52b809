import type { Database } from '../database/database.ts';

/** An answer as text, and its expiry in milliseconds since the epoch. */
interface SharedAnswer {
  answer: string;
  validUntil: number;
}

/** Answers that all replicas share. Only one replica reads a missing answer. */
export interface SharedAnswers {
  load(queryKey: string): Promise<SharedAnswer | undefined>;
  /** True if the caller may read. Others may not for `forMs` milliseconds, or until it saves or gives up. */
  beginReading(queryKey: string, forMs: number): Promise<boolean>;
  /** Saves an answer, unless an earlier valid one exists, and returns the valid one. */
  save(queryKey: string, made: SharedAnswer): Promise<SharedAnswer>;
  /** Ends a failed read, so that another replica may read. */
  giveUp(queryKey: string): Promise<void>;
  /** Deletes answers that expired before this time. */
  forgetBefore(time: number): Promise<void>;
}

export function createSharedAnswers(database: Database, reader: string, now: () => number): SharedAnswers {
  const { read, write } = database;

  async function load(queryKey: string): Promise<SharedAnswer | undefined> {
    const row = await read
      .selectFrom('shared_answers')
      .select(['answer', 'valid_until'])
      .where('question', '=', queryKey)
      .where('valid_until', '>', now())
      .executeTakeFirst();
    return row?.answer == null ? undefined : { answer: row.answer, validUntil: row.valid_until };
  }

  return {
    load,
    beginReading: (queryKey, forMs) =>
      write(async (sql) => {
        const at = now();
        const begun = await sql
          .insertInto('shared_answers')
          .values({ question: queryKey, valid_until: 0, reader, reading_until: at + forMs })
          .onConflict((conflict) =>
            conflict
              .column('question')
              .doUpdateSet({ reader, reading_until: at + forMs })
              .where('shared_answers.valid_until', '<=', at)
              .where('shared_answers.reading_until', '<=', at),
          )
          .executeTakeFirstOrThrow();
        return begun.numInsertedOrUpdatedRows === 1n;
      }),
    async save(queryKey, made) {
      const { answer, validUntil } = made;
      const current = await write(async (sql) => {
        const row = { answer, valid_until: validUntil, reader: null, reading_until: 0 };
        await sql
          .insertInto('shared_answers')
          .values({ question: queryKey, ...row })
          .onConflict((conflict) =>
            conflict.column('question').doUpdateSet(row).where('shared_answers.valid_until', '<=', now()),
          )
          .execute();
        return sql
          .selectFrom('shared_answers')
          .select(['answer', 'valid_until'])
          .where('question', '=', queryKey)
          .executeTakeFirst();
      });
      return current?.answer == null ? made : { answer: current.answer, validUntil: current.valid_until };
    },
    async giveUp(queryKey) {
      await write((sql) =>
        sql
          .updateTable('shared_answers')
          .set({ reader: null, reading_until: 0 })
          .where('question', '=', queryKey)
          .where('reader', '=', reader)
          .execute(),
      );
    },
    async forgetBefore(time) {
      await write((sql) =>
        sql.deleteFrom('shared_answers').where('valid_until', '<', time).where('reading_until', '<', time).execute(),
      );
    },
  };
}
