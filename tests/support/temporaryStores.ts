import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores, type Stores } from '../../server/storage/index.ts';

/** Opens stores in a temporary folder that `close` deletes, for tests. */
export async function openTemporaryStores(now: () => number = Date.now): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-stores-'));
  const stores = await openStores({ file: join(folder, 'truefill.sqlite') }, now);
  return {
    ...stores,
    async close() {
      await stores.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
