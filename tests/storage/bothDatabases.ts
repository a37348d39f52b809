import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalPostgres } from '../../sandbox/index.ts';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { newDatabase } from './newDatabase.ts';

export type DatabaseKind = 'sqlite' | 'postgres';
/** Both, except in the mutation runs: they start no server for each change. */
export const databaseKinds: readonly DatabaseKind[] = process.env.SQLITE_ONLY ? ['sqlite'] : ['sqlite', 'postgres'];

/** Creates empty databases of one kind. */
export interface DatabaseMaker {
  newLocation(): Promise<DatabaseLocation>;
  close(): Promise<void>;
}

/** One server for all test files of a process. It stops with the process and removes its data. */
let postgres: Promise<LocalPostgres> | undefined;

export async function openDatabaseMaker(kind: DatabaseKind): Promise<DatabaseMaker> {
  if (kind === 'postgres') {
    // Loaded only for PostgreSQL: loading the sandbox takes longer than the tests of a ledger on SQLite.
    postgres ??= import('../../sandbox/index.ts').then(({ startPostgres }) => startPostgres());
    const server = await postgres;
    return { newLocation: async () => ({ url: await newDatabase(server) }), close: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), 'truefill-databases-'));
  let count = 0;
  return {
    newLocation: async () => ({ file: join(folder, `${++count}`, 'truefill.sqlite') }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
