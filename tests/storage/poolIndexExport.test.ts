import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keccak256, numberToHex, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IndexedCreation, poolEventsOf, toLowerAddress } from '../../engine/index.ts';
import { exportIndex } from '../../server/indexCommand/exportIndex.ts';
import { readIndexFile } from '../../server/indexCommand/indexFile.ts';
import { openPoolIndexesToRead, openStores, type PoolIndexStore } from '../../server/storage/index.ts';
import { databaseKinds, openDatabaseMaker } from './bothDatabases.ts';

// A copy is compared by its hash, so both databases must return the same pools in the same order, page by page.

const events = poolEventsOf('base');
const { scope, filter } = events;
const hash = keccak256('0x01');
const anchor = { block: 9_999, hash };
/** More than one page of an export. Ids of both lengths begin with each digit and letter. */
const pools = Array.from({ length: 5_500 }, (_, at): IndexedCreation => {
  const id = keccak256(toHex(`pool ${at}`));
  return {
    event: at % 2 === 0 ? 'v4' : 'pair',
    factory: toLowerAddress(filter.address[at % filter.address.length] ?? '0x'),
    id: at % 2 === 0 ? id : toLowerAddress(`0x${id.slice(-40)}`),
    currency0: toLowerAddress(numberToHex(at, { size: 20 })),
    currency1: toLowerAddress(numberToHex(at + 1, { size: 20 })),
    fee: 3_000,
    tickSpacing: -60,
    hooks: toLowerAddress(numberToHex(0, { size: 20 })),
    blockNumber: at,
  };
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-export-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Exports an index beside the service that uses it. */
async function exportFrom(kind: (typeof databaseKinds)[number]) {
  const maker = await openDatabaseMaker(kind);
  const location = await maker.newLocation();
  const stores = await openStores(location, Date.now);
  const write = stores.facts('base').poolIndex;
  await write.save(scope, undefined, { from: 0, to: anchor.block, hash }, pools);
  // Neither another chain's pools, nor another scope's, nor pools outside the ranges belong to the copy.
  await stores.facts('polygon').poolIndex.save(scope, undefined, { from: 0, to: 50, hash }, pools.slice(0, 5));
  await write.save(keccak256('0x02'), undefined, { from: 0, to: 50, hash }, pools.slice(0, 5));
  await importUncovered(write);
  const reader = await openPoolIndexesToRead(location);
  const file = join(folder, `${kind}.gz`);
  const summary = await exportIndex('base', events, reader.of('base'), file);
  expect(await readIndexFile(file)).toEqual(summary);
  await reader.close();
  await stores.close();
  await maker.close();
  return summary;
}

/** An interrupted import leaves pools that no range covers. */
const importUncovered = (store: PoolIndexStore) =>
  store.importPools(scope, [{ ...(pools[0] as IndexedCreation), id: keccak256('0x03'), blockNumber: 20_000 }]);

test.each(databaseKinds)('%s: a copy has each pool of the ranges once', async (kind) => {
  const { pools: count, header } = await exportFrom(kind);
  expect(count).toBe(pools.length);
  expect(header).toMatchObject({ chain: 'base', chainId: 8_453, scope, ranges: [[0, anchor.block]], anchor });
});

test.runIf(databaseKinds.length > 1)('copies of both databases have the same hash', async () => {
  await rm(folder, { recursive: true, force: true });
  folder = await mkdtemp(join(tmpdir(), 'truefill-export-'));
  const [sqlite, postgres] = [await exportFrom('sqlite'), await exportFrom('postgres')];
  expect(postgres).toEqual(sqlite);
});
