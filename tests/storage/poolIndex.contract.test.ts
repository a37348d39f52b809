import type { Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import type { PoolCreation, WeightedCreation } from '../../engine/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { useStores } from './useStores.ts';

const token = '0x4200000000000000000000000000000000000006';
const other = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

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
const hashOf = (block: number): Hex => `0x${block.toString(16).padStart(64, '0')}`;
const checkpoint = (block: number) => ({ block, hash: hashOf(block) });
const range = (from: number, to: number) => ({ from, to, hash: hashOf(to) });

describe.each(databaseKinds)('%s: pool index', (kind) => {
  const opened = useStores(kind);
  const index = () => opened.stores.facts('base').poolIndex;

  test('default: returns pools by either currency, and the blocks that were read', async () => {
    const second = { ...pool, id: other, blockNumber: 150 } as const;
    expect(await index().loadCheckpoints('scope')).toEqual([]);
    expect(await index().loadRanges('scope')).toEqual([]);
    expect(await index().save('scope', undefined, range(40, 100), [pool])).toBe(true);
    expect(await index().save('scope', checkpoint(100), range(101, 200), [pool, second])).toBe(true);
    expect(await index().loadCheckpoints('scope')).toEqual([checkpoint(200), checkpoint(100)]);
    expect(await index().loadRanges('scope')).toEqual([{ from: 40, to: 200 }]);
    for (const currency of [pool.currency0, pool.currency1])
      for (const most of [1, 5]) expect(await index().loadPools('scope', currency, most)).toEqual([pool, second]);
    for (const [store, scope] of [
      [index(), 'another'],
      [opened.stores.facts('polygon').poolIndex, 'scope'],
    ] as const) {
      expect(await store.loadPools(scope, pool.currency0, 5)).toEqual([]);
      expect(await store.loadRanges(scope)).toEqual([]);
    }
  });

  test('behavior: earlier and separate ranges are kept, also without a checkpoint', async () => {
    await index().save('scope', undefined, { ...range(0, 9), hash: undefined }, []);
    expect(await index().loadCheckpoints('scope')).toEqual([]);
    await index().save('scope', undefined, range(90, 100), []);
    await index().save('scope', checkpoint(100), range(50, 59), [pool]);
    await opened.reopen();
    expect(await index().loadRanges('scope')).toEqual([
      { from: 0, to: 9 },
      { from: 50, to: 59 },
      { from: 90, to: 100 },
    ]);
    expect(await index().loadCheckpoints('scope')).toEqual([checkpoint(100), checkpoint(59)]);
    await index().save('scope', checkpoint(100), range(60, 89), []);
    await index().save('scope', checkpoint(100), range(10, 49), []);
    expect(await index().loadRanges('scope')).toEqual([{ from: 0, to: 100 }]);
  });

  test('behavior: a range from another state of the index changes nothing', async () => {
    await index().save('scope', undefined, range(90, 100), []);
    // Another replica has saved a newer checkpoint, or a rollback removed it.
    for (const at of [undefined, checkpoint(90), { ...checkpoint(100), hash: hashOf(1) }])
      expect(await index().save('scope', at, range(101, 200), [pool])).toBe(false);
    // The range is stored already.
    expect(await index().save('scope', checkpoint(100), range(80, 95), [pool])).toBe(false);
    expect(await index().loadPools('scope', pool.currency0, 5)).toEqual([]);
    expect(await index().loadRanges('scope')).toEqual([{ from: 90, to: 100 }]);
    expect(await index().loadCheckpoints('scope')).toEqual([checkpoint(100)]);
    const both = [range(101, 200), range(101, 300)].map((read) => index().save('scope', checkpoint(100), read, []));
    expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
  });

  test('behavior: a rollback deletes later data; the number of checkpoints is bounded', async () => {
    for (let block = 1; block <= 40; block += 1) {
      const at = block > 1 ? checkpoint(block - 1) : undefined;
      await index().save('scope', at, range(block, block), [{ ...pool, id: `0x${block}`, blockNumber: block }]);
    }
    expect(await index().loadCheckpoints('scope')).toHaveLength(32);
    await index().rollBack('scope', 38);
    expect((await index().loadCheckpoints('scope'))[0]).toEqual(checkpoint(38));
    expect(await index().loadRanges('scope')).toEqual([{ from: 1, to: 38 }]);
    expect(await index().loadPools('scope', pool.currency0, 100)).toHaveLength(38);
    await index().rollBack('scope', undefined);
    expect(await index().loadCheckpoints('scope')).toEqual([]);
    expect(await index().loadRanges('scope')).toEqual([]);
    expect(await index().loadPools('scope', pool.currency0, 100)).toEqual([]);
  });
});

describe.each(databaseKinds)('%s: scopes of earlier releases', (kind) => {
  const opened = useStores(kind);
  const scopes = ['0x22222222aa', '0x44444444bb', '0x66666666cc'];
  const own = scopes[1] ?? '';

  test('behavior: a step deletes at most so many pools of one other scope, and its ranges with the first', async () => {
    const index = opened.stores.facts('base').poolIndex;
    const elsewhere = opened.stores.facts('polygon').poolIndex;
    const pools = Array.from({ length: 5 }, (_, number): PoolCreation => ({ ...pool, id: `0x${number}` }));
    for (const scope of scopes) await index.save(scope, undefined, range(0, 100), pools);
    await elsewhere.save('0x22222222aa', undefined, range(0, 100), pools);
    const counts = () =>
      Promise.all(scopes.map(async (scope) => (await index.loadPools(scope, pool.currency1, 5)).length));
    const steps: number[][] = [];
    const others = await index.loadOtherScopes(own);
    const step = async () => {
      for (const other of others) if (await index.deleteOtherScope(other, 2)) return true;
      return false;
    };
    while (await step()) {
      steps.push(await counts());
      for (const [at, scope] of scopes.entries()) {
        const isWhole = steps.at(-1)?.[at] === 5;
        expect((await index.loadRanges(scope)).length).toBe(isWhole ? 1 : 0);
        expect((await index.loadCheckpoints(scope)).length).toBe(isWhole ? 1 : 0);
      }
    }
    expect(steps.at(-1)).toEqual([0, 5, 0]);
    expect(steps.length).toBe(6);
    expect((await elsewhere.loadPools('0x22222222aa', pool.currency1, 5)).length).toBe(5);
    // Ranges without pools are deleted too.
    await index.save('0x66666666cc', undefined, range(0, 100), []);
    for (const other of await index.loadOtherScopes(own)) await index.deleteOtherScope(other, 2);
    expect(await index.loadRanges('0x66666666cc')).toEqual([]);
    expect(await index.loadOtherScopes(own)).toEqual([]);
  });

  test('behavior: a scope that a process wrote to is not deleted', async () => {
    const index = opened.stores.facts('arbitrum').poolIndex;
    const other = '0x66666666cc';
    await index.save(other, undefined, range(50, 100), [pool]);
    const [loaded] = await index.loadOtherScopes(own);
    if (!loaded) throw new TypeError('The other scope was not found.');
    await index.save(other, checkpoint(100), { from: 0, to: 49, hash: undefined }, []);
    expect(await index.deleteOtherScope(loaded, 2)).toBe(false);
    expect(await index.loadRanges(other)).toEqual([{ from: 0, to: 100 }]);
    expect(await index.loadPools(other, pool.currency1, 5)).toHaveLength(1);
  });
});

describe.each(databaseKinds)('%s: pools of an index', (kind) => {
  const opened = useStores(kind);
  const index = () => opened.stores.facts('base').poolIndex;

  test('behavior: saves more pools than fit into one statement', async () => {
    const pools = Array.from({ length: 1_001 }, (_, number) => ({
      ...pool,
      id: `0x${number.toString(16).padStart(40, '0')}` as Hex,
      blockNumber: number,
    }));
    await index().save('scope', undefined, range(0, 2_000), pools);
    expect(await index().loadPools('scope', pool.currency0, 2_000)).toEqual(pools);
  });

  test('behavior: pools of both currencies are one list, oldest first', async () => {
    const [first, second, third] = [30, 10, 20].map((blockNumber, number) => ({
      ...pool,
      id: `0x${number}` as const,
      blockNumber,
      ...(number === 1 && { currency0: pool.currency1, currency1: token }),
    })) as [PoolCreation, PoolCreation, PoolCreation];
    await index().save('scope', undefined, range(0, 100), [first, second, third]);
    expect(await index().loadPools('scope', pool.currency1, 5)).toEqual([second, third, first]);
  });

  test('behavior: weighted pools are returned by their factory, and never as pools of a token', async () => {
    const none = '0x0000000000000000000000000000000000000000';
    const weighted = [1, 2, 3, 4, 5].map(
      (blockNumber): WeightedCreation => ({
        ...{ ...pool, event: 'weighted', id: `0x${blockNumber}`, blockNumber },
        ...{ currency0: none, currency1: none, fee: 0, tickSpacing: 0, hooks: none },
      }),
    );
    await index().save('scope', undefined, range(0, 100), [...weighted, pool]);
    expect(await index().loadWeighted('scope', [pool.factory], 5)).toEqual(weighted);
    expect(await index().loadWeighted('scope', [pool.factory], 2)).toEqual([0, 1, 3, 4].map((at) => weighted[at]));
    expect(await index().loadWeighted('scope', [other], 5)).toEqual([]);
    expect(await index().loadPools('scope', none, 5)).toEqual([pool]);
  });

  test('behavior: returns the newest and the oldest pools of a token with more', async () => {
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const pools = numbers.map((number): PoolCreation => ({ ...pool, id: `0x${number}`, blockNumber: number }));
    await index().save('scope', undefined, range(0, 100), pools);
    const blocks = (await index().loadPools('scope', pool.currency1, 3)).map(({ blockNumber }) => blockNumber);
    expect(blocks).toEqual([0, 1, 2, 37, 38, 39]);
  });

  test.each(['factory', 'id', 'currency0', 'currency1', 'hooks'] as const)(
    'error: a row without %s is not returned as a pool',
    async (column) => {
      await index().save('scope', undefined, range(0, 100), [pool]);
      const update = { [column]: '' };
      await opened.stores.pools.write((sql) => sql.updateTable('pool_creations').set(update).execute());
      const other = column === 'currency0' ? pool.currency1 : pool.currency0;
      await expect(index().loadPools('scope', other, 5)).rejects.toThrow('empty address');
    },
  );
});
