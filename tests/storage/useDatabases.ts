import { afterAll, beforeAll } from 'vitest';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { type DatabaseKind, type DatabaseMaker, openDatabaseMaker } from './bothDatabases.ts';

/** Creates empty databases of one kind for the tests of the calling suite. */
export function useDatabases(kind: DatabaseKind): () => Promise<DatabaseLocation> {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
  });
  afterAll(() => maker?.close());
  return () => maker.newLocation();
}
