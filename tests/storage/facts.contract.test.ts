import { getAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import type { FirstTransfer, HolderMeasurement, PowerScan } from '../../engine/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { useStores } from './useStores.ts';

const token = '0x4200000000000000000000000000000000000006';
const other = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

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
  functionsRefused: ['0x12345678'],
  truncated: true,
  controlTraded: false,
  powers: [{ selector: '0x12345678', args: 'address,bool', name: null, effect: 'block-holder', caller: 'owner' }],
};

describe.each(databaseKinds)('%s: token facts', (kind) => {
  const opened = useStores(kind);
  const base = () => opened.stores.facts('base');

  test('default: returns saved facts unchanged, also after reopening', async () => {
    await base().store.saveFirstTransfer(token, first);
    await base().store.saveCreator(token, { address: other, source: 'blockscout' });
    await base().store.saveHolders(token, measurement);
    await base().store.savePowers('code|owner', scan);
    await opened.reopen();

    expect(await base().store.loadFirstTransfer(token)).toEqual(first);
    expect(await base().store.loadCreator(token)).toEqual({ address: other, source: 'blockscout' });
    expect(await base().store.loadHolders(token)).toEqual(measurement);
    await base().store.saveHolders(other, { ...measurement, topHolder: null });
    expect((await base().store.loadHolders(other))?.topHolder).toBeNull();
    expect(await base().store.loadPowers('code|owner')).toEqual(scan);
  });

  test('behavior: unknown facts are undefined; chains and tokens are separate', async () => {
    await base().store.saveFirstTransfer(token, first);
    expect(await base().store.loadFirstTransfer(other)).toBeUndefined();
    expect(await base().store.loadHolders(token)).toBeUndefined();
    expect(await base().store.loadPowers('code|owner')).toBeUndefined();

    expect(await opened.stores.facts('polygon').store.loadFirstTransfer(token)).toBeUndefined();
  });

  test('behavior: returns lower-case addresses when an earlier release stored them with a checksum', async () => {
    const checksummed = getAddress(other) as typeof other;
    await base().store.saveFirstTransfer(token, { ...first, sender: checksummed });
    await base().store.saveCreator(token, { address: checksummed, source: 'blockscout' });
    await base().store.saveHolders(token, { ...measurement, topHolder: checksummed });
    expect((await base().store.loadFirstTransfer(token))?.sender).toBe(other);
    expect((await base().store.loadCreator(token))?.address).toBe(other);
    expect((await base().store.loadHolders(token))?.topHolder).toBe(other);
  });

  test('behavior: an earlier first transfer replaces a later one, and not the reverse', async () => {
    await base().store.saveFirstTransfer(token, { ...first, blockNumber: 50n, source: 'blockscout' });
    await base().store.saveFirstTransfer(token, { ...first, blockNumber: 60n, source: 'late' });
    expect((await base().store.loadFirstTransfer(token))?.source).toBe('blockscout');
    await base().store.saveFirstTransfer(token, { ...first, blockNumber: 40n, source: 'early' });
    expect((await base().store.loadFirstTransfer(token))?.source).toBe('early');
  });

  test('behavior: only a newer measurement replaces a measurement', async () => {
    await base().store.saveHolders(token, measurement);
    await base().store.saveHolders(token, { ...measurement, measuredAt: measurement.measuredAt - 1, top1SharePct: 1 });
    expect((await base().store.loadHolders(token))?.top1SharePct).toBe(measurement.top1SharePct);
    await base().store.saveHolders(token, { ...measurement, measuredAt: measurement.measuredAt + 1, top1SharePct: 2 });
    expect((await base().store.loadHolders(token))?.top1SharePct).toBe(2);
  });
});

describe.each(databaseKinds)('%s: log index', (kind) => {
  const opened = useStores(kind);
  const base = () => opened.stores.facts('base');

  test('behavior: saves and deletes progress and holders together', async () => {
    const holder = other;
    const progress = {
      scannedTo: 100,
      anchor: { block: 90, hash: `0x${'cd'.repeat(32)}` as const },
      transfers: 2,
      holders: 1,
      overgrown: false,
      first: { block: 7, transaction: `0x${'ef'.repeat(32)}` as const },
    };
    const { logIndexes } = base();
    await logIndexes.save(token, undefined, progress, [{ holder, balance: -(2n ** 255n), lastSentBlock: 90 }]);
    expect(await logIndexes.load(token)).toEqual(progress);
    expect(await logIndexes.loadHolders(token)).toEqual([{ holder, balance: -(2n ** 255n), lastSentBlock: 90 }]);

    // An earlier release wrote holders with a checksum.
    const next = { ...progress, scannedTo: 110 };
    const stored = { holder: getAddress(holder) as typeof holder, balance: 5n, lastSentBlock: 90 };
    await logIndexes.save(token, progress, next, [stored]);
    await logIndexes.save(token, next, progress, [{ holder, balance: 6n, lastSentBlock: 90 }]);
    expect(await logIndexes.loadHolders(token)).toEqual([{ holder, balance: 6n, lastSentBlock: 90 }]);

    // Two replicas continue from the same progress: the second update changes nothing.
    expect(await logIndexes.save(token, undefined, { ...progress, scannedTo: 50 }, [])).toBe(false);
    expect(await logIndexes.save(token, progress, { ...progress, overgrown: true }, [])).toBe(true);
    expect(await logIndexes.loadHolders(token)).toEqual([]);
    expect((await logIndexes.load(token))?.first).toEqual(progress.first);

    await logIndexes.forget(token);
    expect(await logIndexes.load(token)).toBeUndefined();
  });
});

describe.each(databaseKinds)('%s: progress of a log index', (kind) => {
  const opened = useStores(kind);
  const index = () => opened.stores.facts('base').logIndexes;
  const empty = {
    scannedTo: 10,
    anchor: undefined,
    transfers: 0,
    holders: 0,
    overgrown: false,
    first: undefined,
  };

  test('behavior: a scan without an anchor or a transfer is stored as such', async () => {
    expect(await index().save(token, undefined, empty, [])).toBe(true);
    expect(await index().load(token)).toEqual(empty);
    const grown = { ...empty, scannedTo: 20, overgrown: true };
    expect(await index().save(token, empty, grown, [])).toBe(true);
    expect(await index().load(token)).toEqual(grown);
  });

  test('behavior: half of an anchor or of a first transfer counts as none', async () => {
    await index().save(token, undefined, empty, []);
    for (const half of [
      { anchor_block: 1, anchor_hash: null, first_block: 1, first_transaction: null },
      { anchor_block: null, anchor_hash: '0x01', first_block: null, first_transaction: '0x01' },
    ]) {
      await opened.stores.pools.write((sql) => sql.updateTable('log_indexes').set(half).execute());
      expect(await index().load(token)).toEqual(empty);
    }
  });

  test('behavior: an update from other progress changes nothing, also not another token', async () => {
    await index().save(token, undefined, empty, []);
    await index().save(other, undefined, empty, []);
    const next = { ...empty, scannedTo: 20, transfers: 3 };
    const holders = [{ holder: other, balance: 1n, lastSentBlock: undefined }] as const;
    expect(await index().save(token, { ...empty, scannedTo: 11 }, next, holders)).toBe(false);
    expect(await index().save(token, { ...empty, transfers: 1 }, next, holders)).toBe(false);
    expect(await index().loadHolders(token)).toEqual([]);
    expect(await index().save(token, empty, next, holders)).toBe(true);
    expect(await index().load(other)).toEqual(empty);
    expect(await index().loadHolders(token)).toEqual(holders);
    // Holders that did not change are kept.
    await index().save(token, next, { ...next, scannedTo: 30 }, []);
    expect(await index().loadHolders(token)).toEqual(holders);
  });

  test('behavior: saves more holders than fit into one statement', async () => {
    const holders = Array.from({ length: 1_001 }, (_, number) => ({
      holder: `0x${number.toString(16).padStart(40, '0')}` as `0x${Lowercase<string>}`,
      balance: BigInt(number),
      lastSentBlock: number,
    }));
    await index().save(token, undefined, empty, holders);
    const stored = await index().loadHolders(token);
    expect(stored.toSorted((left, right) => Number(left.balance - right.balance))).toEqual(holders);
  });
});
