import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FirstTransfer, HolderMeasurement, PowerScan } from '../../engine/index.ts';
import { type Facts, openFacts } from './index.ts';

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

let folder: string;
let facts: Facts;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'facts-'));
  facts = openFacts(join(folder, 'deep', 'facts.sqlite'), 'base');
});
afterEach(() => {
  facts.close();
  rmSync(folder, { recursive: true });
});

test('default: what is saved comes back whole, also for who opens the file later', async () => {
  await facts.store.saveFirstTransfer(token, first);
  await facts.store.saveCreator(token, { address: other, source: 'blockscout' });
  await facts.store.saveHolders(token, measurement);
  await facts.store.savePowers('code|owner', scan);
  facts.close();
  facts = openFacts(join(folder, 'deep', 'facts.sqlite'), 'base');

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

  const elsewhere = openFacts(join(folder, 'deep', 'facts.sqlite'), 'polygon');
  expect(await elsewhere.store.loadFirstTransfer(token)).toBeUndefined();
  elsewhere.close();
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

test('behavior: a log index keeps progress and holders in one step, and forgets both', () => {
  const holder = '0x00000000000000000000000000000000000000aa';
  const progress = {
    scannedTo: 100,
    anchor: { block: 90, hash: `0x${'cd'.repeat(32)}` as const },
    transfers: 2,
    holders: 1,
    overgrown: false,
    first: { block: 7, transaction: `0x${'ef'.repeat(32)}` as const },
  };
  facts.logIndexes.save(token, progress, [{ holder, balance: -(2n ** 255n), lastSentBlock: 90 }]);
  expect(facts.logIndexes.load(token)).toEqual(progress);
  expect(facts.logIndexes.loadHolders(token)).toEqual([{ holder, balance: -(2n ** 255n), lastSentBlock: 90 }]);

  facts.logIndexes.save(token, { ...progress, overgrown: true }, []);
  expect(facts.logIndexes.loadHolders(token)).toEqual([]);
  expect(facts.logIndexes.load(token)?.first).toEqual(progress.first);

  facts.logIndexes.forget(token);
  expect(facts.logIndexes.load(token)).toBeUndefined();
});
