import { type Hex, isHex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { candidatePools } from '../../../tests/support/engine/testAnswer.ts';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { addressOf, testHeader, wordsOf } from '../../../tests/support/engine/testProbe.ts';
import { decodeWords } from '../../chain/words.ts';
import { RpcTransportError } from '../../errors.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolCreation, PoolIndex } from '../../pools/poolIndex.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { noHooks } from '../../venues/kinds.ts';
import { findTokenPools } from './findTokenPools.ts';

// The pools come from an index. The logs after it are empty.

const [token, usdc, weth] = ['1', 'd', 'e'].map(addressOf) as [LowerAddress, LowerAddress, LowerAddress];
const counters = ['2', '3', '4'].map(addressOf) as [LowerAddress, LowerAddress, LowerAddress];
const asset = (address: LowerAddress) => ({ address, decimals: 18, symbol: 'ANY', usdStable: false });
const uncovered = [{ name: 'vault', address: addressOf('7'), kind: 'singleton' as const }];
const deployment = {
  ...deployments.base,
  wrappedNative: weth,
  usdc,
  routingAssets: [weth, usdc].map(asset),
  uncovered,
};
const manager = candidatePools.find(({ family }) => family === 'uniswap-v4')?.factory ?? noHooks;

let created = 0;
/** A v4 pool of the token with a fee that no list contains. */
const created4 = (counter: LowerAddress, hooks: LowerAddress = noHooks): PoolCreation => ({
  ...{ event: 'v4', factory: manager, id: numberToHex(++created, { size: 32 }), blockNumber: created },
  ...{ currency0: token, currency1: counter, fee: 777, tickSpacing: 60, hooks },
});

/** A pool's price, as a power of 1.0001 with half the tick, and its liquidity. */
interface Depth {
  tick: number;
  liquidity: bigint;
}
const slotOf = (tick: number) =>
  (BigInt(Math.floor(tick)) << 160n) | BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 48) * 2 ** 48);

interface Scene {
  creations?: PoolCreation[];
  /** In the order of the pools. */
  depths?: readonly Depth[];
  isDown?: boolean;
  findWeighted?: () => Promise<[]>;
}

async function find({ creations = [], depths = [], isDown = false, findWeighted = async () => [] }: Scene) {
  const ranked: number[] = [];
  const node = testNode({
    chain: 'base',
    async send(calls) {
      if (isDown) throw new RpcTransportError('refused');
      return calls.map(({ method, params }) => {
        if (method === 'eth_getBlockByNumber') return { result: testHeader };
        if (method === 'eth_getLogs') return { result: [] };
        const [{ to, data }] = params as [{ to: string; data: Hex }];
        if (to !== manager) return { result: wordsOf(32n, 1n, 2n, 5n) };
        const args: Hex = `0x${data.slice(10)}`;
        const count = Number(isHex(args) ? decodeWords(args)[1] : 0n);
        ranked.push(count / 2);
        const words = depths.flatMap(({ tick, liquidity }) => [slotOf(tick), liquidity]);
        return { result: wordsOf(32n, BigInt(count), ...words.slice(0, count)) };
      });
    },
  });
  let woken = 0;
  const index = {
    load: async () => ({
      ...{ creations, truncated: false, scannedTo: 9n, newest: { from: 0n, to: 9n } },
      ...{ longestRange: undefined, seenHead: undefined },
    }),
    wake: () => {
      woken++;
    },
  } as unknown as PoolIndex;
  const weightedSearch = { find: findWeighted, findRouted: async () => [], isComplete: () => true, forget() {} };
  const { pools } = await findTokenPools({ token, candidatePools, deployment }, node, { index, weightedSearch });
  return { pools, ids: pools.refs.map(({ id }) => id), ranked, woken };
}

const idsOf = (creations: readonly PoolCreation[]) => creations.map(({ id }) => id);

test('routing assets are no counter-assets that need a ranking', async () => {
  const creations = [...counters.slice(0, 2), weth, usdc].map((counter) => created4(counter));
  const { ids, ranked, pools } = await find({ creations });
  expect(ids).toEqual(idsOf(creations));
  expect(ranked).toEqual([]);
  expect(pools).toMatchObject({ weighted: [], hooked: false, gap: undefined });
});

test('pools of a third counter-asset are ranked by what they hold of the token', async () => {
  const creations = counters.map((counter) => created4(counter));
  const depths = [5n, 1n, 9n].map((liquidity) => ({ tick: 0, liquidity: liquidity * 10n ** 6n }));
  const { ids, ranked } = await find({ creations, depths });
  const [second, third, first] = idsOf(creations);
  expect(ids).toEqual([first, second, third]);
  expect(ranked).toEqual([3]);
});

test('up to 24 pools need no ranking; of 25 the least deep one is dropped', async () => {
  const creations = Array.from({ length: 25 }, () => created4(counters[0]));
  const few = await find({ creations: creations.slice(0, 24) });
  expect([few.ids, few.ranked]).toEqual([idsOf(creations.slice(0, 24)), []]);
  const depths = creations.map((_, at) => ({ tick: 0, liquidity: BigInt(at + 1) * 10n ** 6n }));
  const many = await find({ creations, depths });
  expect([many.ids, many.ranked]).toEqual([idsOf(creations).slice(1).reverse(), [25]]);
});

test('a pool that holds the dollar but hardly any of the token is kept', async () => {
  const dust = Array.from({ length: 25 }, () => created4(counters[0]));
  // At the end of its tick spacing: its liquidity holds the second token alone.
  const deep = created4(usdc);
  const depths = [...dust.map(() => ({ tick: 0, liquidity: 10n ** 6n })), { tick: 59.999_999, liquidity: 10n ** 9n }];
  const { ids } = await find({ creations: [...dust, deep], depths });
  expect(ids.slice(0, 2)).toEqual([dust[0]?.id, deep.id]);
});

test('a pool with a hook on swaps is reported, with what it holds, and is not used', async () => {
  const hooked = created4(usdc, '0x00000000000000000000000000000000000000c0');
  const { pools, ids } = await find({ creations: [hooked], depths: [{ tick: 30, liquidity: 10n ** 9n }] });
  expect([ids, pools.hooked, pools.gap]).toEqual([[], true, undefined]);
  expect(pools.others.holdings).toMatchObject([{ venue: 'vault', amount: 5n }, { pool: { id: hooked.id } }]);
});

test('weighted pools that could not be read leave a gap', async () => {
  const { pools } = await find({ findWeighted: () => Promise.reject(new RangeError('refused')) });
  expect(pools).toMatchObject({ weighted: undefined, gap: 'unread' });
});

test('without an answer of the node, the pools of the index are kept, and the index is woken', async () => {
  const creations = [created4(usdc)];
  const { pools, ids, woken } = await find({ creations, isDown: true });
  expect([ids, pools.gap, woken]).toEqual([idsOf(creations), 'unread', 1]);
  expect(pools.others).toEqual({ holdings: [], unread: ['vault', 'uniswap-v4 pools with an unlisted hook'] });
  expect((await find({ creations })).woken).toBe(0);
});
