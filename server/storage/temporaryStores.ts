import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores, type Stores } from './openStores.ts';

/** Stores in a folder of their own that goes with `close`: the sandbox's, whose chains begin anew at every start, and tests'. */
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
