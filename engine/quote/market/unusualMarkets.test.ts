import { decodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import type { ScriptedPool } from '../../../tests/support/engine/scriptedLenses.ts';
import { scriptedMarket, scriptedPool } from '../../../tests/support/engine/scriptedMarket.ts';
import { candidatePools } from '../../../tests/support/engine/testAnswer.ts';
import { tokenA, tokenB, wordsOf } from '../../../tests/support/engine/testProbe.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { poolTopics } from '../../pools/poolEvents.ts';
import { poolStatuses } from '../../venues/poolEntry.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import { readMarket } from './readMarket.ts';

const unit = 10n ** 18n;
const query = toQuoteQuery({ chain: 'base', tokenIn: tokenA, tokenOut: tokenB, size: { tokenIn: '10' } });
const thin = scriptedPool('1');
const deep = scriptedPool('6', [tokenA, tokenB], [9_000n, 18_000n]);

/** The log of the factory that created the pool. */
const logOf = ({ id, token0, token1 }: ScriptedPool) => ({
  address: candidatePools[0]?.factory,
  topics: [poolTopics.pair, ...[token0, token1].map((token) => numberToHex(BigInt(token), { size: 32 }))],
  data: wordsOf(BigInt(id), 1n),
  blockNumber: '0x1',
});

/** Replies to requests for logs. */
const logsOf = (pool: ScriptedPool) => (call: RpcCall) =>
  call.method === 'eth_getLogs' ? { result: [logOf(pool)] } : undefined;

test('a new market is read again with the pools that logs contain, at the block of its first read', async () => {
  const { data, newNode, kindsSent, paidBy, requests } = scriptedMarket({ pools: [thin, deep], other: logsOf(deep) });
  const market = await readMarket(data, query, newNode());
  expect(market.states.pools.map(({ ref }) => ref.id).sort()).toEqual([thin.id, deep.id]);
  expect(market.found?.best?.amountOut).toBeGreaterThanOrEqual(paidBy(deep, tokenA, 10n * unit));
  expect(kindsSent()).toEqual([['states'], ['states'], ['probe']]);
  const read = requests.flat().filter(({ kind }) => kind === 'states');
  expect(read.map(({ block, states }) => [block, states?.known.length])).toEqual([
    ['latest', 0],
    // With the pool that the first read found.
    ['0x10', 2],
  ]);
});

test('a known market reads the pools that logs contain in its first request', async () => {
  const { data, newNode, kindsSent } = scriptedMarket({ pools: [thin, deep], other: logsOf(deep) });
  await readMarket(data, query, newNode());
  const before = kindsSent().length;
  const { found } = await readMarket(data, query, newNode());
  expect(found?.best?.plan.legs.map(({ pool }) => pool.id)).toContain(deep.id);
  expect(kindsSent().slice(before)).toHaveLength(1);
});

const unpaidAbi = parseAbi([
  'struct Leg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 limit; }',
  'struct Sale { uint256 amountIn; uint256 legs; Leg first; Leg second; }',
  'function sell(Sale[] sales, address native, bool arbitrum, uint256 salt)',
]);

/** Answers of the unpaid lens over a pool: what it pays if nothing is paid to it. */
function unpaidBy(pool: ScriptedPool, paidBy: (pool: ScriptedPool, sold: string, amountIn: bigint) => bigint) {
  return ({ params }: RpcCall): RpcReply | undefined => {
    const [{ data = '0x' }] = params as [{ data?: Hex }];
    try {
      const [sales] = decodeFunctionData({ abi: unpaidAbi, data }).args;
      const fills = sales.flatMap(({ amountIn }) => {
        const paid = paidBy(pool, tokenA, amountIn);
        return [BigInt(poolStatuses.indexOf('filled')), amountIn, paid, paid, 0n, paid, paid, 0n, 50_000n];
      });
      const block = [16n, 100n, BigInt(`0x${'22'.repeat(32)}`)];
      return { result: wordsOf(1n, BigInt(sales.length), ...block, ...fills) };
    } catch {
      return undefined;
    }
  };
}

test('a token with which no account can be funded is quoted without its payment, and not in the next block', async () => {
  const { paidBy } = scriptedMarket({ pools: [] });
  const scripted = scriptedMarket({ pools: [thin], funding: 'unknown', other: unpaidBy(thin, paidBy) });
  const market = await readMarket(scripted.data, query, scripted.newNode());
  expect(market.found?.best).toMatchObject({ amountOut: paidBy(thin, tokenA, 10n * unit), isUnpaid: true });
  expect(market.nextBlock).toBeUndefined();
  expect(scripted.kindsSent()).toEqual([['states']]);
});
