import { getAddress, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import type { FirstTransfer, HolderMeasurement, PoolCreation, PowerScan } from '../../engine/index.ts';
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

const pool: PoolCreation = {
  event: 'v4',
  factory: '0x498581ff718922c3f8e6a244956af099b2652b2b',
  id: `0x${'cd'.repeat(32)}`,
  currency0: '0x0000000000000000000000000000000000000000',
  currency1: other,
  fee: 0x800000,
  tickSpacing: -60,
  hooks: '0xdd5eeaff7bd481ad55db083062b13a3cdf0a68cc',
  blockNumber: 50,
};
const checkpoint = (block: number) => ({ block, hash: `0x${block.toString(16).padStart(64, '0')}` as Hex });

describe.each(databaseKinds)('%s: pool index', (kind) => {
  const opened = useStores(kind);
  const base = () => opened.stores.facts('base');

  test('default: returns pools by either currency, and the scanned blocks', async () => {
    const { poolIndex } = base();
    const [one, two] = [checkpoint(100), checkpoint(200)];
    expect(await poolIndex.loadCheckpoints('scope')).toEqual([]);
    expect(await poolIndex.save('scope', undefined, one, [pool])).toBe(true);
    expect(await poolIndex.save('scope', one, two, [pool, { ...pool, id: other, blockNumber: 150 }])).toBe(true);
    expect(await poolIndex.loadCheckpoints('scope')).toEqual([two, one]);
    for (const currency of [pool.currency0, pool.currency1]) {
      expect(await poolIndex.loadPools('scope', currency, 5)).toEqual([pool, { ...pool, id: other, blockNumber: 150 }]);
      expect(await poolIndex.loadPools('scope', currency, 1)).toEqual([pool, { ...pool, id: other, blockNumber: 150 }]);
    }
    expect(await poolIndex.loadPools('another', pool.currency0, 5)).toEqual([]);
    expect(await opened.stores.facts('polygon').poolIndex.loadPools('scope', pool.currency0, 5)).toEqual([]);
  });

  test('behavior: a stale update changes nothing when another replica has advanced the index', async () => {
    const { poolIndex } = base();
    const [one, two, three] = [checkpoint(100), checkpoint(200), checkpoint(300)];
    await poolIndex.save('scope', undefined, one, []);
    expect(await poolIndex.save('scope', undefined, two, [pool])).toBe(false);
    expect(await poolIndex.save('scope', { ...one, hash: two.hash }, two, [pool])).toBe(false);
    expect(await poolIndex.loadPools('scope', pool.currency0, 5)).toEqual([]);
    const both = await Promise.all([two, three].map((to) => poolIndex.save('scope', one, to, [])));
    expect(both.filter(Boolean)).toHaveLength(1);
  });

  test('behavior: a rollback deletes later data; the number of checkpoints is bounded', async () => {
    const { poolIndex } = base();
    let from: ReturnType<typeof checkpoint> | undefined;
    for (let block = 1; block <= 40; block += 1) {
      const to = checkpoint(block);
      await poolIndex.save('scope', from, to, [{ ...pool, id: `0x${block}`, blockNumber: block }]);
      from = to;
    }
    expect(await poolIndex.loadCheckpoints('scope')).toHaveLength(32);
    await poolIndex.rollBack('scope', 38);
    expect((await poolIndex.loadCheckpoints('scope'))[0]).toEqual(checkpoint(38));
    expect(await poolIndex.loadPools('scope', pool.currency0, 100)).toHaveLength(38);
    await poolIndex.rollBack('scope', undefined);
    expect(await poolIndex.loadCheckpoints('scope')).toEqual([]);
    expect(await poolIndex.loadPools('scope', pool.currency0, 100)).toEqual([]);
  });
});

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
      await opened.stores.database.write((sql) => sql.updateTable('log_indexes').set(half).execute());
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

  test('behavior: saves more holders and pools than fit into one statement', async () => {
    const holders = Array.from({ length: 1_001 }, (_, number) => ({
      holder: `0x${number.toString(16).padStart(40, '0')}` as `0x${Lowercase<string>}`,
      balance: BigInt(number),
      lastSentBlock: number,
    }));
    await index().save(token, undefined, empty, holders);
    const stored = await index().loadHolders(token);
    expect(stored.toSorted((left, right) => Number(left.balance - right.balance))).toEqual(holders);
    const { poolIndex } = opened.stores.facts('base');
    const pools = holders.map(({ holder }, number) => ({ ...pool, id: holder, blockNumber: number }));
    await poolIndex.save('scope', undefined, checkpoint(2_000), pools);
    expect(await poolIndex.loadPools('scope', pool.currency0, 2_000)).toEqual(pools);
  });
});

describe.each(databaseKinds)('%s: order and checkpoints of pools', (kind) => {
  const opened = useStores(kind);
  const index = () => opened.stores.facts('base').poolIndex;

  test('behavior: pools of both currencies are one list, oldest first', async () => {
    const [first, second, third] = [30, 10, 20].map((blockNumber, number) => ({
      ...pool,
      id: `0x${number}` as const,
      blockNumber,
      ...(number === 1 && { currency0: pool.currency1, currency1: token }),
    })) as [PoolCreation, PoolCreation, PoolCreation];
    await index().save('scope', undefined, checkpoint(100), [first, second, third]);
    expect(await index().loadPools('scope', pool.currency1, 5)).toEqual([second, third, first]);
  });

  test('behavior: returns the newest and the oldest pools of a token with more', async () => {
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const pools = numbers.map((number): PoolCreation => ({ ...pool, id: `0x${number}`, blockNumber: number }));
    await index().save('scope', undefined, checkpoint(100), pools);
    const blocks = (await index().loadPools('scope', pool.currency1, 3)).map(({ blockNumber }) => blockNumber);
    expect(blocks).toEqual([0, 1, 2, 37, 38, 39]);
  });

  test('behavior: a checkpoint that exists is not replaced, and its pools are not saved', async () => {
    const [one, two] = [checkpoint(100), checkpoint(200)];
    await index().save('scope', undefined, one, []);
    await index().save('scope', one, two, []);
    expect(await index().save('scope', two, one, [])).toBe(false);
    // Another checkpoint with the same hash is not the stored one.
    expect(await index().save('scope', { ...two, block: 150 }, checkpoint(300), [pool])).toBe(false);
    expect(await index().loadCheckpoints('scope')).toEqual([two, one]);
    expect(await index().loadPools('scope', pool.currency0, 5)).toEqual([]);
  });

  test.each(['factory', 'id', 'currency0', 'currency1', 'hooks'] as const)(
    'error: a row without %s is not returned as a pool',
    async (column) => {
      await index().save('scope', undefined, checkpoint(100), [pool]);
      const update = { [column]: '' };
      await opened.stores.pools.write((sql) => sql.updateTable('pool_creations').set(update).execute());
      const other = column === 'currency0' ? pool.currency1 : pool.currency0;
      await expect(index().loadPools('scope', other, 5)).rejects.toThrow('empty address');
    },
  );
});
