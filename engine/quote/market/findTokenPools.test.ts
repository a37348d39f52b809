import { decodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi, numberToHex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { candidatePools as rows } from '../../../tests/support/engine/testAnswer.ts';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { addressOf, testHeader, tokenA, tokenB, wordsOf } from '../../../tests/support/engine/testProbe.ts';
import { multicall3 } from '../../chain/multicall3.ts';
import { balanceSelector } from '../../chain/readBalances.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { poolTopics } from '../../pools/poolEvents.ts';
import { createPoolHints } from '../../pools/poolHints.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { createPoolSearcher } from './foundPools.ts';

const [row] = rows as [CandidatePool];
const candidatePools = [row];
const [weth, usdc] = ['d', 'e'].map(addressOf) as [LowerAddress, LowerAddress];
const [vault, curve] = ['7', '8'].map(addressOf) as [LowerAddress, LowerAddress];
const counters = ['1', '2', '3'].map(addressOf) as [LowerAddress, LowerAddress, LowerAddress];
const asset = (address: LowerAddress) => ({ address, decimals: 18, symbol: 'ANY', usdStable: false });
const deployment: Deployment = {
  ...deployments.base,
  ...{ venues: [], wrappedNative: weth, usdc, routingAssets: [asset(weth), asset(usdc)], pricingAssets: [] },
  uncovered: [
    { name: 'vault', address: vault, kind: 'singleton' },
    { name: 'curve', address: curve, kind: 'curve-factory' },
  ] as unknown as Deployment['uncovered'],
};

const topicOf = (address: LowerAddress): Hex => `0x${address.slice(2).padStart(64, '0')}`;
const idOf = (number: number) => toLowerAddress(numberToHex(number, { size: 20 }));

/** The log of a new pair. */
function pairLog(number: number, a: LowerAddress, b: LowerAddress, blockNumber = number) {
  const [token0, token1] = a < b ? [a, b] : [b, a];
  const data = wordsOf(BigInt(number), 1n);
  const topics = [poolTopics.pair, topicOf(token0), topicOf(token1)];
  return { address: row.factory, topics, data, blockNumber: numberToHex(blockNumber) };
}
type Log = ReturnType<typeof pairLog>;

interface Scene {
  logs?: readonly Log[];
  /** The node refuses logs. */
  isRefused?: boolean;
  balances?: Readonly<Record<LowerAddress, bigint>>;
  isBalanceRefused?: boolean;
  /** The pool that the uncovered factory returns for these tokens. */
  curvePool?: (tokens: readonly string[]) => bigint;
  pair?: { tokenIn: LowerAddress; tokenOut: LowerAddress };
  /** What a third party lists; undefined: it fails. */
  hints?: readonly Hex[] | undefined;
}

const balanceAbi = parseAbi(['function read(address[] tokens, address[] holders)']);
const curveAbi = parseAbi(['function find_pool_for_coins(address from, address to)']);

/** A node with these logs and balances, and a searcher of its pools. */
function sceneOf(scene: Scene) {
  const state = { ...scene, now: 0 };
  const requests: RpcCall[][] = [];
  const refused: RpcReply = { error: { code: -32_005, message: 'range' } };

  function logsOf({ params }: RpcCall): RpcReply {
    if (state.isRefused) return refused;
    const [{ topics }] = params as [{ topics: readonly (Hex | readonly Hex[] | null)[] }];
    const matches = (log: Log) =>
      topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] as Hex));
    return { result: (state.logs ?? []).filter(matches) };
  }
  function callOf({ params }: RpcCall): RpcReply {
    const [{ to, data }] = params as [{ to: LowerAddress; data: Hex }];
    if (data.startsWith(balanceSelector)) {
      if (state.isBalanceRefused) return refused;
      const [, holders] = decodeFunctionData({ abi: balanceAbi, data }).args;
      const read = holders.flatMap((holder) => [2n, state.balances?.[toLowerAddress(holder)] ?? 0n]);
      return { result: wordsOf(32n, BigInt(holders.length), ...read) };
    }
    if (to !== multicall3) return refused;
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const [calls] = args as unknown as [readonly { callData: Hex }[]];
    const result = calls.map(({ callData }) => {
      const tokens = decodeFunctionData({ abi: curveAbi, data: callData }).args.map(toLowerAddress);
      return { success: true, returnData: wordsOf(state.curvePool?.(tokens) ?? 0n) };
    });
    return { result: encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }) };
  }
  const node = testNode({
    chain: 'base',
    async send(calls) {
      requests.push([...calls]);
      return calls.map((call): RpcReply => {
        if (call.method === 'eth_getBlockByNumber') return { result: testHeader };
        return call.method === 'eth_getLogs' ? logsOf(call) : callOf(call);
      });
    },
  });
  const now = () => state.now;
  const listed = async () => state.hints ?? Promise.reject(new RangeError('no list'));
  const sources = 'hints' in scene ? [{ label: 'lister', fetchPools: listed }] : [];
  const hints = createPoolHints({ sources, index: undefined, candidatePools, deployment, now });
  const searcher = createPoolSearcher({ deployment, candidatePools, now, hints });
  const pair = scene.pair ?? { tokenIn: tokenA, tokenOut: tokenB };
  const search = async () => {
    const found = await searcher.search(pair, node);
    return { found, ...searcher.recall(pair) };
  };
  return { state, requests, search, searcher, pair };
}

const pools = [pairLog(0x101, tokenA, tokenB), pairLog(0x102, tokenA, counters[0]), pairLog(0x103, tokenA, weth)];

test('the pools of a token that no look-up finds come from the logs, with the direction that the query needs', async () => {
  const { search, searcher, pair } = sceneOf({ logs: pools });
  expect(searcher.recall(pair)).toMatchObject({ known: [], gap: 'pending', hooked: false, index: undefined });
  const { found, known, gap, hooked, hintSources } = await search();
  expect(found).toBe(true);
  // The pair with a routing asset is looked up anyway.
  expect(known.map(({ ref, sells }) => [ref.id, sells])).toEqual([
    [idOf(0x101), 'token0'],
    [idOf(0x102), 'token1'],
  ]);
  expect([gap, hooked, hintSources]).toEqual([undefined, false, []]);
});

test('the other direction of the pair sells the other tokens', async () => {
  const pair = { tokenIn: tokenB, tokenOut: tokenA };
  const { known } = await sceneOf({ logs: [...pools, pairLog(0x104, tokenB, counters[0])], pair }).search();
  expect(known.map(({ ref, sells }) => [ref.id, sells]).sort()).toEqual([
    [idOf(0x101), 'token1'],
    [idOf(0x102), 'token0'],
    [idOf(0x104), 'token1'],
  ]);
});

test('a token without pools in the logs is complete and has none', async () => {
  const { found, known, gap } = await sceneOf({}).search();
  expect([found, known, gap]).toEqual([false, [], undefined]);
});

test('of three unlisted counter-assets, a quote uses the two whose pools hold most of the token', async () => {
  const logs = counters.map((counter, index) => pairLog(0x201 + index, tokenA, counter));
  const balances = { [idOf(0x201)]: 5n, [idOf(0x202)]: 1n, [idOf(0x203)]: 9n };
  const { search, requests } = sceneOf({ logs: [...logs, pairLog(0x101, tokenA, tokenB)], balances });
  const { known } = await search();
  expect(known.map(({ ref }) => ref.id)).toEqual([idOf(0x203), idOf(0x201), idOf(0x101)]);
  const ranks = requests.flat().filter(({ params }) => JSON.stringify(params).includes(idOf(0x203).slice(2)));
  expect(ranks).toHaveLength(1);
});

test('pools of two unlisted counter-assets need no ranking', async () => {
  const logs = counters.slice(0, 2).map((counter, index) => pairLog(0x201 + index, tokenA, counter));
  const { search, requests } = sceneOf({ logs });
  const { known } = await search();
  expect(known.map(({ ref }) => ref.id)).toEqual([idOf(0x201), idOf(0x202)]);
  expect(requests.flat().some(({ params }) => JSON.stringify(params).includes(idOf(0x201).slice(2)))).toBe(false);
});

test('more pools than a search ranks leave a gap', async () => {
  const many = Array.from({ length: 501 }, (_, index) => pairLog(0x1000 + index, tokenA, idOf(0x9000 + index)));
  expect((await sceneOf({ logs: many.slice(1) }).search()).gap).toBeUndefined();
  expect((await sceneOf({ logs: many }).search()).gap).toBe('truncated');
});

test('refused logs leave a gap, and the search after 30 seconds closes it', async () => {
  const { search, state } = sceneOf({ logs: pools, isRefused: true });
  expect(await search()).toMatchObject({ found: false, known: [], gap: 'unread' });
  state.isRefused = false;
  state.now = 29_999;
  expect((await search()).gap).toBe('unread');
  state.now = 30_000;
  const { found, known, gap } = await search();
  expect([found, known.length, gap]).toEqual([true, 2, undefined]);
});

test('a search that fails after one that succeeded keeps its pools', async () => {
  const { search, state } = sceneOf({ logs: pools });
  await search();
  Object.assign(state, { isRefused: true, now: 600_000 });
  const { found, known, gap } = await search();
  expect([found, known.length, gap]).toEqual([true, 2, 'unread']);
});

test('third parties are named only while the logs have a gap', async () => {
  const asked = sceneOf({ hints: [], isRefused: true });
  expect((await asked.search()).hintSources).toEqual(['lister']);
  asked.state.isRefused = false;
  asked.state.now = 600_000;
  expect((await asked.search()).hintSources).toEqual([]);
  expect((await sceneOf({ hints: undefined, isRefused: true }).search()).hintSources).toEqual([]);
});

test('what uncovered venues hold of the tokens is read, in singletons and in pools of factories', async () => {
  const pool = addressOf('6');
  const curvePool = (tokens: readonly string[]) => (tokens[0] === tokenA && tokens[1] === usdc ? BigInt(pool) : 0n);
  const { others } = await sceneOf({ curvePool, balances: { [vault]: 3n, [pool]: 4n } }).search();
  const holding = { amount: 3n, blockNumber: 16n };
  expect(others).toEqual({
    holdings: [
      { venue: 'vault', token: tokenA, holder: vault, ...holding },
      { venue: 'curve', token: tokenA, holder: pool, contract: pool, ...holding, amount: 4n },
      { venue: 'vault', token: tokenB, holder: vault, ...holding },
    ],
    unread: [],
  });
});

test('venues that were not read are named once for both tokens', async () => {
  const { searcher, pair, search } = sceneOf({ isBalanceRefused: true });
  const all = ['vault', 'curve', 'uniswap-v4 pools with an unlisted hook'];
  expect(searcher.recall(pair).others).toEqual({ holdings: [], unread: all });
  expect((await search()).others).toEqual({ holdings: [], unread: ['vault'] });
});

test('routing assets are not searched', async () => {
  const { search, requests } = sceneOf({ logs: pools, pair: { tokenIn: weth, tokenOut: usdc } });
  expect(await search()).toMatchObject({ found: false, known: [], gap: undefined, others: { unread: [] } });
  expect(requests).toEqual([]);
});

test('two searches of a token at the same time send its requests once', async () => {
  const { search, requests } = sceneOf({ logs: pools, pair: { tokenIn: tokenA, tokenOut: usdc } });
  const both = await Promise.all([search(), search()]);
  expect(both.map(({ found }) => found)).toEqual([true, true]);
  expect(requests.flat().filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(1);
});
