import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FirstTransfer, HolderMeasurement, PowerScan } from '../../engine/index.ts';
import { type DatabasePlace, type Facts, openStores, type Stores } from '../../server/stores/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from './bothDatabases.ts';

const token = '0x4200000000000000000000000000000000000006';
const other = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const first: FirstTransfer = {
  blockNumber: 9_007_199_254_740_991n,
  timestamp: 1_700_000_000,
  sender: null,
  transactionHash: `0x${'ab'.repeat(32)}`,
  source: 'logs',
};
const measurement: HolderMeasurement = {
  measuredAt: 1_800_000_000_000,
  blockNumber: 123n,
  source: 'blockscout',
  top1SharePct: 33.333333333333336,
  top10SharePct: 0,
  holders: null,
  holdersExact: 0,
  topHolder: other,
  note: 'O’Brien; "quoted" \u202e',
};
const scan: PowerScan = {
  scannedAt: 1,
  blockNumber: 2,
  functionsTried: 3,
  callsTried: 4,
  truncated: true,
  powers: [{ selector: '0x12345678', args: 'address,bool', name: null, effect: 'block-holder', caller: 'owner' }],
};

describe.each(databaseKinds)('%s', (kind) => {
  let maker: DatabaseMaker;
  let place: DatabasePlace;
  let stores: Stores;
  let facts: Facts;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    place = await maker.newPlace();
    stores = await openStores(place, Date.now);
    facts = stores.facts('base');
  });
  afterEach(() => stores.close());

  test('default: what is saved comes back whole, also for who opens the file later', async () => {
    await facts.store.saveFirstTransfer(token, first);
    await facts.store.saveCreator(token, { address: other, source: 'blockscout' });
    await facts.store.saveHolders(token, measurement);
    await facts.store.savePowers('code|owner', scan);
    await stores.close();
    stores = await openStores(place, Date.now);
    facts = stores.facts('base');

    expect(await facts.store.loadFirstTransfer(token)).toEqual(first);
    expect(await facts.store.loadCreator(token)).toEqual({ address: other, source: 'blockscout' });
    expect(await facts.store.loadHolders(token)).toEqual(measurement);
    expect(await facts.store.loadPowers('code|owner')).toEqual(scan);
  });

  test('behavior: what was never saved is undefined, and another chain or token is another fact', async () => {
    await facts.store.saveFirstTransfer(token, first);
    expect(await facts.store.loadFirstTransfer(other)).toBeUndefined();
    expect(await facts.store.loadHolders(token)).toBeUndefined();
    expect(await facts.store.loadPowers('code|owner')).toBeUndefined();

    expect(await stores.facts('polygon').store.loadFirstTransfer(token)).toBeUndefined();
  });

  test('behavior: either letter case is the same token', async () => {
    await facts.store.saveFirstTransfer(other, first);
    expect(await facts.store.loadFirstTransfer(other.toLowerCase() as typeof other)).toEqual(first);
  });

  test('behavior: an earlier first transfer takes the place, a later one does not', async () => {
    await facts.store.saveFirstTransfer(token, { ...first, blockNumber: 50n, source: 'blockscout' });
    await facts.store.saveFirstTransfer(token, { ...first, blockNumber: 60n, source: 'late' });
    expect((await facts.store.loadFirstTransfer(token))?.source).toBe('blockscout');
    await facts.store.saveFirstTransfer(token, { ...first, blockNumber: 40n, source: 'early' });
    expect((await facts.store.loadFirstTransfer(token))?.source).toBe('early');
  });

  test('behavior: a measurement is replaced by a newer one only, so its age is always the real one', async () => {
    await facts.store.saveHolders(token, measurement);
    await facts.store.saveHolders(token, { ...measurement, measuredAt: measurement.measuredAt - 1, top1SharePct: 1 });
    expect((await facts.store.loadHolders(token))?.top1SharePct).toBe(measurement.top1SharePct);
    await facts.store.saveHolders(token, { ...measurement, measuredAt: measurement.measuredAt + 1, top1SharePct: 2 });
    expect((await facts.store.loadHolders(token))?.top1SharePct).toBe(2);
  });

  test('behavior: a log index keeps progress and holders in one step, and forgets both', async () => {
    const holder = '0x00000000000000000000000000000000000000aa';
    const progress = {
      scannedTo: 100,
      anchor: { block: 90, hash: `0x${'cd'.repeat(32)}` as const },
      transfers: 2,
      holders: 1,
      overgrown: false,
      first: { block: 7, transaction: `0x${'ef'.repeat(32)}` as const },
    };
    const { logIndexes } = facts;
    await logIndexes.save(token, undefined, progress, [{ holder, balance: -(2n ** 255n), lastSentBlock: 90 }]);
    expect(await logIndexes.load(token)).toEqual(progress);
    expect(await logIndexes.loadHolders(token)).toEqual([{ holder, balance: -(2n ** 255n), lastSentBlock: 90 }]);

    // Two replicas that went on from the same place: the second one changes nothing.
    expect(await logIndexes.save(token, undefined, { ...progress, scannedTo: 50 }, [])).toBe(false);
    expect(await logIndexes.save(token, progress, { ...progress, overgrown: true }, [])).toBe(true);
    expect(await logIndexes.loadHolders(token)).toEqual([]);
    expect((await logIndexes.load(token))?.first).toEqual(progress.first);

    await logIndexes.forget(token);
    expect(await logIndexes.load(token)).toBeUndefined();
  });
});
