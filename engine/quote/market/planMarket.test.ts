import { decodeFunctionData, type Hex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { ScriptedPool } from '../../../tests/support/engine/scriptedLenses.ts';
import { type MarketOptions, scriptedMarket, scriptedPool } from '../../../tests/support/engine/scriptedMarket.ts';
import { addressOf, tokenA, tokenB, tokenC, wordsOf } from '../../../tests/support/engine/testProbe.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { readStates } from '../../pools/readPools.ts';
import { b20Singletons } from '../../venues/b20/b20.ts';
import { kinds } from '../../venues/kinds.ts';
import { poolStatuses } from '../../venues/poolEntry.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import { planMarket } from './planMarket.ts';

const unit = 10n ** 18n;
const tokenD = addressOf('d');

interface Options extends MarketOptions {
  tokenIn?: LowerAddress;
  /** Changes the pools that the first read returned. */
  change?: (pool: Pool) => Pool;
}

/** Reads the market and plans a sale of ten tokens. */
async function planIn({ tokenIn = tokenA, change = (pool) => pool, ...options }: Options) {
  const scripted = scriptedMarket(options);
  const { data, newNode } = scripted;
  const query = toQuoteQuery({ chain: 'base', tokenIn, tokenOut: tokenB, size: { tokenIn: '10' } });
  if (options.funding === 'unknown') data.funding.set(tokenIn, 'unknown');
  const node = newNode();
  const { read } = await readStates(data.states, { tokenIn, tokenOut: tokenB }, node, 'latest');
  const states = { ...read.states, pools: read.states.pools.map(change) };
  const planned = await planMarket(
    data,
    query,
    { read: { ...read, states }, isKnown: false, recalled: data.found.recall(query), done: [] },
    node,
  );
  const legs = planned.found?.best?.plan.legs.map(({ pool }) => pool.id);
  return { ...scripted, planned, legs };
}

const unpaidAbi = parseAbi([
  'struct Leg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 limit; }',
  'struct Sale { uint256 amountIn; uint256 legs; Leg first; Leg second; }',
  'function sell(Sale[] sales, address native, bool arbitrum, uint256 salt)',
]);

/** The answers of the unpaid lens over these pools: what they pay if nothing is paid to them. */
function unpaidOver(pools: readonly ScriptedPool[]) {
  const { paidBy } = scriptedMarket({ pools: [] });
  const pay = (leg: Record<'pool' | 'tokenIn', Hex>, amount: bigint) => {
    const pool = pools.find(({ id }) => id === toLowerAddress(leg.pool)) as ScriptedPool;
    return paidBy(pool, toLowerAddress(leg.tokenIn), amount);
  };
  return ({ params }: RpcCall): RpcReply | undefined => {
    const [{ data = '0x' }] = params as [{ data?: Hex }];
    try {
      const [sales] = decodeFunctionData({ abi: unpaidAbi, data }).args;
      const fills = sales.flatMap(({ amountIn, legs, first, second }) => {
        const between = pay(first, amountIn);
        const received = legs === 2n ? pay(second, between) : between;
        const filled = BigInt(poolStatuses.indexOf('filled'));
        return [filled, amountIn, between, between, 0n, received, received, 0n, 50_000n];
      });
      const block = [16n, 100n, BigInt(`0x${'22'.repeat(32)}`)];
      return { result: wordsOf(1n, BigInt(sales.length), ...block, ...fills) };
    } catch {
      return undefined;
    }
  };
}

describe('a token with which no account can be funded', () => {
  const unpaid = (pools: ScriptedPool[], more: Partial<Options> = {}) =>
    planIn({ pools, funding: 'unknown', other: unpaidOver(pools), ...more });
  const thin = scriptedPool('1');
  const viaC = [
    scriptedPool('2', [tokenA, tokenC], [90_000n, 90_000n]),
    scriptedPool('3', [tokenC, tokenB], [90_000n, 900_000n]),
  ];

  test('is sold over two pools if they pay most', async () => {
    const { legs, planned } = await unpaid([thin, ...viaC]);
    expect(legs).toEqual(['2', '3'].map(addressOf));
    expect(planned.found?.best?.isUnpaid).toBe(true);
  });

  test('is sold over one pool, although routes of three pools pay more, because those cannot be executed without payment', async () => {
    // Two such routes, so that the second best one is of three pools too.
    const threeHops = [0, 1].flatMap((row) => [
      scriptedPool(`${4 + row}`, [tokenA, tokenC], [90_000n, 90_000n], { row: row as 0 | 1 }),
      scriptedPool(`${6 + row}`, [tokenC, tokenD], [90_000n, 90_000n], { row: row as 0 | 1 }),
      scriptedPool(`${8 + row}`, [tokenD, tokenB], [90_000n, 900_000n], { row: row as 0 | 1 }),
    ]);
    const routingAssets = [tokenC, tokenD].map((address) => ({ address, decimals: 18, symbol: 'T', usdStable: true }));
    const pools = [thin, ...threeHops];
    const { legs } = await unpaid(pools, { deployment: { routingAssets } });
    expect(legs).toEqual([thin.id]);
    const { legs: paid } = await planIn({ pools, deployment: { routingAssets } });
    expect(paid?.length).toBeGreaterThan(2);
  });

  test('is not sold over weighted pools, whose vault is paid before it sends', async () => {
    // Both are better than the third, so that the second best route is over a weighted pool too.
    const [best, second] = [viaC, [scriptedPool('4', undefined, [9_000n, 90_000n], { row: 1 })]];
    const weighted = new Set([...best, ...second].map(({ id }) => id as Hex));
    const isWeighted = ({ ref }: Pool) => weighted.has(ref.id);
    const { legs } = await unpaid([thin, ...best, ...second], {
      change: (pool) => {
        if (!isWeighted(pool)) return pool;
        const candidatePool = { ...pool.ref.candidatePool, kind: kinds.weighted };
        return { ...pool, ref: { ...pool.ref, candidatePool } };
      },
    });
    expect(legs).toEqual([thin.id]);
  });
});

describe('a B20 token with which no account can be funded', () => {
  const tokenIn = toLowerAddress(`0xb2${'00'.repeat(9)}01${'77'.repeat(9)}`);
  const pool = scriptedPool('1', [tokenIn, tokenB]);
  const word = (value: bigint): RpcReply => ({ result: wordsOf(value) });
  const quoted = (paused: bigint) =>
    planIn({
      ...{ pools: [pool], funding: 'unknown', tokenIn },
      other(call) {
        const [{ to }] = call.params as [{ to?: string }];
        if (to === b20Singletons.factory) return word(1n);
        return to === tokenIn ? word(paused) : unpaidOver([pool])(call);
      },
    });

  test('has no plan while its transfers are paused', async () => {
    const { planned } = await quoted(1n);
    expect(planned).toMatchObject({ found: undefined, read: { states: { pools: [{}] } }, search: {} });
  });

  test('is sold while they are not', async () => {
    expect((await quoted(0n)).legs).toEqual([pool.id]);
  });
});

describe('the ticks of a pool', () => {
  /** A pool at price 2 whose liquidity is known from one price to another, and takes the order within it. */
  const concentrated =
    (knownWidth: number) =>
    ({ ref }: Pool): Pool => ({
      ref,
      state: {
        ...{ kind: 'concentrated', rule: 'uniswap-v3', tick: 6931, tickSpacing: 1, feePips: [3000, 3000] },
        sqrtPriceX96: BigInt(Math.floor(Math.sqrt(2) * 2 ** 40)) << 56n,
        liquidity: 1_000n * unit,
        ...{ ticks: [], knownFrom: 6931 - knownWidth, knownTo: 6931 + knownWidth },
      },
    });
  const pool = scriptedPool('1');
  const ticksRead = async (knownWidth: number) => {
    const { requests, planned } = await planIn({ pools: [pool], change: concentrated(knownWidth) });
    const [, ...again] = requests.flat().filter(({ kind }) => kind.endsWith('states'));
    return { planned, again: again.map(({ block, states }) => [block, states?.ticks]) };
  };

  test('are read again, further and at the same block, if the order leaves the known ones', async () => {
    const { again, planned } = await ticksRead(10);
    expect(again).toEqual([['0x10', 512n]]);
    // The second read returned the pair's reserves.
    expect(planned.read.states.pools[0]?.state.kind).toBe('pair');
    expect(planned.found?.best?.amountOut).toBe(scriptedMarket({ pools: [] }).paidBy(pool, tokenA, 10n * unit));
  });

  test('are read once if they suffice', async () => {
    const { again, planned } = await ticksRead(6_000);
    expect(again).toEqual([]);
    expect(planned.read.states.pools[0]?.state.kind).toBe('concentrated');
  });
});
