import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type PretradeAnswer, type PretradeOptions, poolEventsOf, toLowerAddress } from '../../engine/index.ts';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { countBlocks, openStores, type Stores } from '../../server/storage/index.ts';
import { createPoolIndexer, type PoolIndexer } from '../../server/vendors/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { hookedShapes } from '../engine/market.ts';
import { checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// Most hosted nodes limit the block range of eth_getLogs. The pool index then reads the factories' logs in the background,
// once for all tokens, and stores them, so that a restarted service continues there.

let fixture: TestTokensOnBase;
let node: NodeClient;
let proxy: RpcProxy;
let folder: string;
let stores: Stores;
const open: PoolIndexer[] = [];

beforeAll(async () => {
  fixture = await startTestTokens();
  node = createNodeClient(fixture.base.rpcUrl);
  proxy = await startRpcProxy(fixture.base.rpcUrl);
  await mine(1_200, 0);
  await mine(300);
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.sandbox.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-pools-'));
  stores = await openStores({ file: join(folder, 'one.sqlite') }, Date.now);
  proxy.requests.length = 0;
  proxy.fault = () => undefined;
});
afterEach(async () => {
  for (const index of open.splice(0)) await index.close();
  await stores.close();
  await rm(folder, { recursive: true, force: true });
});

const factory: Address = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';
const events = () => poolEventsOf('base', { extraV4Shapes: { base: hookedShapes(fixture.base) } });
/** A block a second: the index leaves the last minute, at least 64 blocks, to the check. */
const mine = (blocks: number, seconds = 1) => node.call('anvil_mine', [numberToHex(blocks), numberToHex(seconds)]);
const head = async () => Number(await node.call<Hex>('eth_blockNumber'));
/** The last block of those that are read without a gap from the first one on. */
const scannedTo = async ({ facts } = stores) => {
  const [first] = await facts('base').poolIndex.loadRanges(events().scope);
  return first?.from === 0 ? first.to : -1;
};
const blocksRead = async ({ facts } = stores) => countBlocks(await facts('base').poolIndex.loadRanges(events().scope));

/** Starts the background reader of the index. */
function startIndex(pauseMs = 1, rpcUrl = proxy.url, { facts } = stores): PoolIndexer {
  const index = createPoolIndexer({
    endpoints: [loopbackEndpoint(rpcUrl)],
    store: facts('base').poolIndex,
    events: events(),
    limits: { pauseMs, everyMs: 50 },
    onFault: () => undefined,
  });
  open.push(index);
  return index;
}

/** Checks with an empty memory, as after a restart. */
async function check(token: string, index?: PoolIndexer): Promise<PretradeAnswer> {
  const options: PretradeOptions = { powerDeadlineMs: 30_000, pools: index };
  const checker = checkerOver(fixture.base, loopbackEndpoint(proxy.url), options);
  return checker.check({ chain: 'base', token: token as Address });
}

const addressOf = (symbol: string): Address => {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return testToken.address;
};

const untilIndexed = async (of = stores) => {
  const goal = (await head()) - 64;
  await vi.waitUntil(async () => (await scannedTo(of)) >= goal, { timeout: 60_000, interval: 20 });
};

const rangeOf = ({ params }: ProxiedCall, latest: number): [number, number] => {
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  return [Number(fromBlock), toBlock === 'latest' ? latest : Number(toBlock)];
};

/** Refuses ranges of more than `blocks` blocks and responses of more than `logs` logs, as a hosted node does. */
async function capRanges(blocks: number, logs = Number.POSITIVE_INFINITY): Promise<void> {
  const refusal = (id: unknown, message: string) => ({ jsonrpc: '2.0', id, error: { code: -32602, message } });
  const latest = await head();
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_getLogs')
      ? {
          kind: 'rewrite',
          reply: (text) => {
            type Reply = { id: unknown; result: unknown[] };
            const parsed = JSON.parse(text) as Reply | Reply[];
            const replies = [parsed].flat().map((reply) => {
              const call = calls.find(({ id, method }) => id === reply.id && method === 'eth_getLogs');
              if (!call) return reply;
              const [from, to] = rangeOf(call, latest);
              if (to - from + 1 > blocks) return refusal(reply.id, `range is limited to ${blocks} blocks`);
              if (reply.result?.length > logs) return refusal(reply.id, `more than ${logs} results`);
              return reply;
            });
            return JSON.stringify(Array.isArray(parsed) ? replies : replies[0]);
          },
        }
      : undefined;
}

/** Creates an empty pair of a token and an unlisted asset. */
async function createPair(token: Address, asset: Address): Promise<void> {
  const data = encodeFunctionData({
    abi: parseAbi(['function createPair(address,address) returns (address)']),
    args: [token, asset],
  });
  const from = '0x00000000000000000000000000000000000ca11e';
  await node.call('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await node.call('anvil_impersonateAccount', [from]);
  const hash = await node.call<Hex>('eth_sendTransaction', [{ from, to: factory, data, gas: '0x4c4b40' }]);
  await expect.poll(() => node.call('eth_getTransactionReceipt', [hash])).not.toBeNull();
}

/** The part of an answer that must not depend on how the pools were found. */
const verdictOf = ({ verdict, triggers, liquidityCoverage, risk_profile, confidence }: PretradeAnswer) => {
  const { asOfBlock: _at, asOfBlockFirst: _first, ...coverage } = liquidityCoverage;
  const { note: _note, ...liquidity } = risk_profile.liquidity;
  return { verdict, triggers, confidence, coverage, liquidity, outcome: risk_profile.transferability.outcome };
};

const symbols = ['FARHOP', 'TWOHOP', 'JUNKPAIR', 'V4HOOK', 'ALGCUSTOM', 'PLAIN', 'NOPOOL', 'DRAINED'];

test('default: a node that limits ranges to 500 blocks gives the same verdicts as a node without limits', async () => {
  const unlimited = new Map<string, PretradeAnswer>();
  for (const symbol of symbols) unlimited.set(symbol, await check(addressOf(symbol)));
  await capRanges(500);
  const vendors = startIndex();
  await untilIndexed();
  for (const symbol of symbols) {
    const answer = await check(addressOf(symbol), vendors);
    const was = unlimited.get(symbol);
    expect([symbol, verdictOf(answer)]).toEqual([symbol, was && verdictOf(was)]);
  }
});

test.each([
  [1_000, 300],
  [100, 10_000],
  [25, 200],
])('behavior: the answer is conclusive if the node limits requests to %i blocks and %i logs', async (blocks, logs) => {
  await capRanges(blocks, logs);
  const vendors = startIndex(0);
  await untilIndexed();
  const answer = await check(addressOf('FARHOP'), vendors);
  // A check splits the blocks after the index into at most 16 ranges; 72 blocks are three of 25.
  expect(answer.liquidityCoverage.conclusive, answer.reasons.join(' ')).toBe(true);
  const noExit = await check(addressOf('NOPOOL'), vendors);
  expect(noExit.triggers).toEqual(['NO_EXIT_VENUE']);
});

test('behavior: the answer is inconclusive and reports the progress until the index has caught up', async () => {
  await capRanges(50);
  const without = await check(addressOf('NOPOOL'));
  expect(without).toMatchObject({ verdict: 'clear', triggers: [], liquidityCoverage: { conclusive: false } });
  expect(without.reasons.join(' ')).toMatch(
    /factories' logs could not be read in full \(range is limited to 50 blocks\)/,
  );

  const slow = startIndex(200);
  await vi.waitUntil(async () => (await blocksRead()) > 0, { timeout: 60_000, interval: 10 });
  const early = await check(addressOf('NOPOOL'), slow);
  expect(early).toMatchObject({ verdict: 'clear', triggers: [], liquidityCoverage: { conclusive: false } });
  expect(early.reasons.join(' ')).toMatch(/The pool index covers blocks \d+ to \d+ of \d+, and reads earlier ones\./);
  await untilIndexed();
  expect((await check(addressOf('NOPOOL'), slow)).triggers).toEqual(['NO_EXIT_VENUE']);
});

test('behavior: reads nothing in the background while nodes accept the range of all blocks', async () => {
  const vendors = startIndex();
  await check(addressOf('PLAIN'), vendors);
  await vi.waitUntil(() => proxy.requests.length >= 3, { timeout: 60_000 });
  const before = proxy.requests.length;
  // A later index that is woken reads all blocks in the meantime.
  const other = await openStores({ file: join(folder, 'other.sqlite') }, Date.now);
  startIndex(1, fixture.base.rpcUrl, other).wake();
  await untilIndexed(other);
  await other.close();
  expect(proxy.requests.length).toBe(before);
  expect(await scannedTo()).toBe(-1);
});

test('behavior: a restarted service continues with the blocks that are missing', async () => {
  await capRanges(50);
  const first = startIndex(20);
  await vi.waitUntil(async () => (await blocksRead()) > 200, { timeout: 60_000, interval: 5 });
  await first.close();
  const stored = await stores.facts('base').poolIndex.loadRanges(events().scope);
  expect(countBlocks(stored)).toBeLessThan((await head()) - 64);

  await stores.close();
  stores = await openStores({ file: join(folder, 'one.sqlite') }, Date.now);
  proxy.requests.length = 0;
  const second = startIndex();
  await untilIndexed();
  const latest = await head();
  const logCalls = proxy.requests.flatMap(({ calls }) => calls.filter(({ method }) => method === 'eth_getLogs'));
  // The first one asks whether the node accepts all blocks.
  for (const [from, to] of logCalls.slice(1).map((call) => rangeOf(call, latest)))
    expect(stored.every((range) => to < range.from || from > range.to)).toBe(true);
  expect((await check(addressOf('FARHOP'), second)).liquidityCoverage.conclusive).toBe(true);
});

test('behavior: with the index a token whose pool pays in an unlisted asset takes three requests for logs', async () => {
  await capRanges(500);
  const vendors = startIndex();
  await untilIndexed();
  await vendors.close();
  proxy.requests.length = 0;
  await check(addressOf('FARHOP'), vendors);
  // Two of the check, and one of the search for its quote.
  expect(proxy.requests.filter(({ calls }) => calls.some(({ method }) => method === 'eth_getLogs')).length).toBe(3);
});

test('behavior: finds pools of blocks that are not indexed yet, and drops them after a reorganization', async () => {
  await capRanges(1_000);
  const vendors = startIndex();
  await untilIndexed();
  const checker = checkerOver(fixture.base, loopbackEndpoint(proxy.url), { pools: vendors });
  const count = async () => {
    const answer = await checker.check({ chain: 'base', token: addressOf('PLAIN') });
    expect(answer.liquidityCoverage, answer.reasons.join(' ')).toMatchObject({ conclusive: true, venuesUnread: 0 });
    return answer.liquidityCoverage.poolsFound ?? 0;
  };
  const before = await count();
  const snapshot = await node.call<Hex>('evm_snapshot');
  await createPair(addressOf('PLAIN'), addressOf('SIX'));
  await mine(2);
  expect(await count()).toBe(before + 1);
  // A reorganization: the same height with another pool.
  await node.call('evm_revert', [snapshot]);
  expect(await count()).toBe(before);
  const again = await node.call<Hex>('evm_snapshot');
  await createPair(addressOf('PLAIN'), addressOf('PERMIT'));
  await createPair(addressOf('PLAIN'), addressOf('EIGHT'));
  expect(await count()).toBe(before + 2);
  await node.call('evm_revert', [again]);
});

test('behavior: the index removes pools of blocks that a reorganization replaced', async () => {
  await capRanges(1_000);
  const vendors = startIndex();
  await untilIndexed();
  const snapshot = await node.call<Hex>('evm_snapshot');
  const asset = addressOf('REFLECT');
  await createPair(addressOf('PLAIN'), asset);
  await mine(80);
  await capRanges(1_000);
  await untilIndexed();
  const indexed = async () =>
    (await stores.facts('base').poolIndex.loadPools(events().scope, toLowerAddress(addressOf('PLAIN')), 100)).flatMap(
      ({ currency0, currency1 }): string[] => [currency0, currency1],
    );
  expect(await indexed()).toContain(asset.toLowerCase());

  await node.call('evm_revert', [snapshot]);
  await mine(90);
  await capRanges(1_000);
  await vi.waitUntil(async () => !(await indexed()).includes(asset.toLowerCase()), {
    timeout: 60_000,
    interval: 50,
  });
  await untilIndexed();
  expect((await check(addressOf('PLAIN'), vendors)).liquidityCoverage).toMatchObject({
    conclusive: true,
    venuesUnread: 0,
  });
});

test('behavior: a failed index read makes the answer inconclusive only if the node limits ranges', async () => {
  const broken = { load: () => Promise.reject(new Error('no disk')), wake: () => undefined, state: startIndex().state };
  const query = { chain: 'base', token: addressOf('FARHOP') } as const;
  const answer = await checkerOver(fixture.base, loopbackEndpoint(proxy.url), { pools: broken }).check(query);
  expect(answer.liquidityCoverage.conclusive).toBe(true);
  await capRanges(500);
  const capped = await checkerOver(fixture.base, loopbackEndpoint(proxy.url), { pools: broken }).check(query);
  expect(capped.liquidityCoverage.conclusive).toBe(false);
  expect(capped.reasons.join(' ')).toMatch(/The pool index could not be read/);
});
