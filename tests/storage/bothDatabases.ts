import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../sandbox/index.ts';
import type { DatabasePlace } from '../../server/storage/index.ts';
import { newDatabase } from './newDatabase.ts';

export type DatabaseKind = 'sqlite' | 'postgres';
export const databaseKinds: readonly DatabaseKind[] = ['sqlite', 'postgres'];

/** Creates empty databases of one kind. */
export interface DatabaseMaker {
  newPlace(): Promise<DatabasePlace>;
  close(): Promise<void>;
}

export async function openDatabaseMaker(kind: DatabaseKind): Promise<DatabaseMaker> {
  if (kind === 'postgres') {
    const postgres = await startPostgres();
    return { newPlace: async () => ({ url: await newDatabase(postgres) }), close: postgres.close };
  }
  const folder = await mkdtemp(join(tmpdir(), 'truefill-databases-'));
  let count = 0;
  return {
    newPlace: async () => ({ file: join(folder, `${++count}`, 'truefill.sqlite') }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
