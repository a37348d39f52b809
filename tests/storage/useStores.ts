import { afterEach, beforeEach } from 'vitest';
import { type DatabaseLocation, openStores, type Stores } from '../../server/storage/index.ts';
import type { DatabaseKind } from './bothDatabases.ts';
import { useDatabases } from './useDatabases.ts';

/** New, empty stores for each test of the calling suite. */
export function useStores(kind: DatabaseKind) {
  const newLocation = useDatabases(kind);
  const opened = {
    location: undefined as unknown as DatabaseLocation,
    stores: undefined as unknown as Stores,
    /** The clock of the stores, in milliseconds. */
    time: 0,
    async reopen(): Promise<void> {
      await opened.stores.close();
      opened.stores = await openStores(opened.location, () => opened.time);
    },
  };
  beforeEach(async () => {
    opened.time = 1_000_000;
    opened.location = await newLocation();
    opened.stores = await openStores(opened.location, () => opened.time);
  });
  afterEach(() => opened.stores.close());
  return opened;
}
