import { numberToHex, zeroAddress } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import { createTransferNode, type TestTransfer } from '../../../tests/support/transferNode.ts';
import type { Facts, Stores } from '../../storage/index.ts';
import { RpcTransportError, toLowerAddress, VendorUnavailableError } from '../ports.ts';
import { defaultLogIndexLimits } from '../vendorConfig.ts';
import { createLogIndexer, type LogIndexer } from './logIndexer.ts';

const token = '0x00000000000000000000000000000000000070c0';
const codeProbe = '0x4200000000000000000000000000000000000006';
const wallet = (index: number) => toLowerAddress(numberToHex(index + 1, { size: 20 }));
/** Enough requests for every test of ranges. */
const ampleLimits = { ...defaultLogIndexLimits, maxRequests: 5_000 };
const ports = { now: Date.now, onFault: () => undefined, onSearchEnd: () => undefined };
const options = () => ({ signal: new AbortController().signal });

let stores: Stores;
let facts: Facts;
let indexers: LogIndexer[] = [];
beforeEach(async () => {
  stores = await openTemporaryStores();
  facts = stores.facts('base');
  indexers = [];
});
afterEach(async () => {
  await Promise.all(indexers.map((indexer) => indexer.close()));
  await stores.close();
});

type Node = ReturnType<typeof createTransferNode>;

function index(node: Node | Node[], limits = ampleLimits): LogIndexer {
  const endpoints = [node].flat();
  const indexer = createLogIndexer({ endpoints, store: facts.logIndexes, limits, codeProbe, ...ports });
  indexers.push(indexer);
  return indexer;
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof VendorUnavailableError ? error.fault : error),
  );

/** Transfers that are the same in every run, in dense and empty block ranges. */
function someTransfers(count: number, wallets: number, firstBlock: number, head: number): TestTransfer[] {
  const mint = { block: firstBlock, from: zeroAddress, to: wallet(0), value: 10n ** 24n };
  const rest = Array.from({ length: count - 1 }, (_, n) => ({
    block: firstBlock + Math.floor(((n * n) / (count * count)) * (head - firstBlock)),
    from: wallet((n * 7) % Math.min(wallets, n + 1)),
    to: wallet((n * 13 + 1) % wallets),
    value: BigInt((n * 1_001) % 997),
  }));
  return [mint, ...rest];
}

/** The expected balances. */
function balancesOf(transfers: readonly TestTransfer[]): Record<string, bigint> {
  const balances: Record<string, bigint> = {};
  for (const { from, to, value } of transfers) {
    if (from !== zeroAddress) balances[from] = (balances[from] ?? 0n) - value;
    if (to !== zeroAddress) balances[to] = (balances[to] ?? 0n) + value;
  }
  return balances;
}

async function readBalances(indexer: LogIndexer) {
  const { holders } = await indexer.readIndex(token, options());
  return Object.fromEntries([...(holders ?? [])].map(([address, { balance }]) => [address, balance]));
}

test('computes each wallet’s balance and finds the first transfer', async () => {
  const node = createTransferNode(token, { head: 5_000, transfers: someTransfers(3_000, 200, 123, 5_000) });
  const indexer = index(node);
  expect(await readBalances(indexer)).toEqual(balancesOf(node.transfers));
  expect((await indexer.readFirst(token, options()))?.block).toBe(123);
});

test.each([
  ['10-block ranges', { maxRange: 10 }],
  ['10-block ranges, suggested in its error', { maxRange: 10, suggests: true }],
  ['at most 70 logs', { maxLogs: 70 }],
  ['both limits', { maxRange: 333, maxLogs: 65 }],
])('builds the same index with a node that allows %s', async (_, limits) => {
  const transfers = someTransfers(2_000, 50, 40, 2_000);
  const node = createTransferNode(token, { head: 2_000, transfers, ...limits });
  expect(await readBalances(index(node))).toEqual(balancesOf(transfers));
});

test('remembers the size of a rejected range', async () => {
  const node = createTransferNode(token, { head: 100_000, maxRange: 1_000 });
  await index(node).readIndex(token, options());
  const requests = node.requests.flat().filter(({ method }) => method === 'eth_getLogs').length;
  // The minimum is 100 ranges; halving finds a size between half the limit and the limit.
  expect(requests).toBeLessThan(250);
});

test('starts the scan at the token’s deployment on an archive node', async () => {
  const transfers = someTransfers(10, 5, 7_654_321, 9_000_000);
  const node = createTransferNode(token, { head: 9_000_000, transfers, deployedAt: 7_654_320, keepsStates: true });
  expect((await index(node).readFirst(token, options()))?.block).toBe(7_654_321);
  const starts = node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock));
  expect(Math.min(...starts)).toBe(7_654_320);
  expect(node.requests.filter(([call]) => call?.method === 'eth_getCode').length).toBeLessThanOrEqual(8);
});

test('starts at block 0 when a pruned node returns empty code for old blocks', async () => {
  const node = createTransferNode(token, {
    head: 5_000,
    transfers: someTransfers(10, 5, 100, 5_000),
    deployedAt: 4_000,
    keepsStates: true,
  });
  // Before block 4,000 the node returns no code for any contract, including the genesis one.
  node.rewrite = (call, reply) =>
    call.method === 'eth_getCode' && Number(call.params[1]) < 4_000 ? { result: '0x' } : reply;
  expect((await index(node).readFirst(token, options()))?.block).toBe(100);
});

test('reads only new blocks after the first scan', async () => {
  const node = createTransferNode(token, { head: 5_000, transfers: someTransfers(500, 50, 10, 4_900) });
  await readBalances(index(node));
  node.requests = [];
  node.head = 6_000;
  node.transfers.push({ block: 5_500, from: wallet(0), to: wallet(999), value: 5n });
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
  const starts = node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock));
  expect(Math.min(...starts)).toBeGreaterThan(4_900);
});

test('does not store unsettled blocks: their reorg needs no rollback', async () => {
  const node = createTransferNode(token, { head: 1_000, transfers: someTransfers(100, 10, 10, 900) });
  const settled = [...node.transfers];
  node.transfers.push({ block: 999, from: wallet(0), to: wallet(50), value: 77n });
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
  node.transfers = [...settled, { block: 1_000, from: wallet(0), to: wallet(51), value: 1n }];
  node.head = 1_001;
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
});

test('rebuilds the index when the hash of its anchor block has changed', async () => {
  const node = createTransferNode(token, { head: 1_000, transfers: someTransfers(100, 10, 10, 900) });
  await readBalances(index(node));
  node.history = 'b';
  node.transfers = someTransfers(20, 3, 500, 800);
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
  expect((await facts.logIndexes.load(token))?.first?.block).toBe(500);

  node.history = 'c';
  node.head = 90;
  node.transfers = someTransfers(5, 3, 20, 80);
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
});

test('continues the scan for the next caller when one caller times out', async () => {
  const node = createTransferNode(token, {
    head: 20_000,
    maxRange: 100,
    transfers: someTransfers(400, 20, 1_000, 20_000),
  });
  const indexer = index(node);
  const caller = new AbortController();
  node.beforeSend = () => {
    if (node.requests.length === 50) caller.abort();
  };
  expect(await faultOf(indexer.readIndex(token, { signal: caller.signal }))).toBe('not-indexed');
  const seen = node.requests.length;
  expect(await readBalances(indexer)).toEqual(balancesOf(node.transfers));
  expect(node.requests.length).toBeGreaterThan(seen);
  // A single scan reads no range twice.
  const ranges = node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => JSON.stringify(params));
  expect(ranges.length - new Set(ranges).size).toBe(0);
});

test('a later process continues an aborted scan from its checkpoint', async () => {
  const node = createTransferNode(token, {
    head: 20_000,
    maxRange: 100,
    transfers: someTransfers(400, 20, 1_000, 19_000),
  });
  const first = index(node);
  // Not awaited here: close waits for the job, which waits for this request.
  node.beforeSend = () => {
    if (node.requests.length === 80) void first.close();
  };
  expect(await faultOf(first.readIndex(token, options()))).toBe('timeout');
  await first.close();
  const reached = (await facts.logIndexes.load(token))?.scannedTo ?? 0;
  expect(reached).toBeGreaterThan(1_000);
  node.requests = [];
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
  const starts = node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock));
  expect(Math.min(...starts)).toBe(reached + 1);
});

test('returns the first transfer before the scan of a large token ends', async () => {
  const node = createTransferNode(token, {
    head: 50_000,
    maxRange: 100,
    transfers: someTransfers(400, 20, 500, 50_000),
  });
  const first = await index(node).readFirst(token, options());
  expect(first?.block).toBe(500);
  expect((await facts.logIndexes.load(token))?.scannedTo).toBeLessThan(50_000 - 64);
});

test('stores only the first transfer of a token with too many transfers or wallets', async () => {
  const node = createTransferNode(token, { head: 5_000, transfers: someTransfers(3_000, 200, 123, 4_000) });
  for (const limits of [{ maxTransfers: 1_000 }, { maxHolders: 100 }]) {
    await facts.logIndexes.forget(token);
    const indexer = index(node, { ...ampleLimits, ...limits });
    expect((await indexer.readIndex(token, options())).holders).toBeUndefined();
    expect(await facts.logIndexes.loadHolders(token)).toEqual([]);
    node.requests = [];
    expect((await indexer.readFirst(token, options()))?.block).toBe(123);
    expect((await indexer.readIndex(token, options())).holders).toBeUndefined();
    expect(node.requests.flat().filter(({ method }) => method === 'eth_getLogs')).toEqual([]);
  }
});

test('returns undefined for a token without transfers', async () => {
  expect(await index(createTransferNode(token)).readFirst(token, options())).toBeUndefined();
});

test('limits the requests of one pass and continues in the next pass', async () => {
  const node = createTransferNode(token, { head: 10_000, maxRange: 100, transfers: someTransfers(100, 10, 5, 9_000) });
  const limits = { ...ampleLimits, maxRequests: 60 };
  expect(await faultOf(index(node, limits).readIndex(token, options()))).toBe('not-indexed');
  expect(node.requests.length).toBe(60);
  let passes = 1;
  for (let fault: unknown = 'not-indexed'; fault === 'not-indexed'; passes += 1) {
    await indexers.at(-1)?.close();
    fault = await faultOf(index(node, limits).readIndex(token, options()));
  }
  expect(passes).toBeGreaterThan(1);
  expect(await readBalances(index(node))).toEqual(balancesOf(node.transfers));
});

test('concurrent callers share one scan; a fifth concurrent token is not-indexed', async () => {
  const node = createTransferNode(token, { transfers: someTransfers(50, 5, 10, 900) });
  const indexer = index(node);
  const views = await Promise.all(Array.from({ length: 20 }, () => indexer.readIndex(token, options())));
  expect(new Set(views).size).toBe(1);

  const tokens = Array.from({ length: 6 }, (_, n) => wallet(1_000 + n));
  node.rewrite = (call, reply) => (call.method === 'eth_getLogs' ? { result: [] } : reply);
  const faults = await Promise.all(tokens.map((one) => faultOf(indexer.readIndex(one, options()))));
  expect(faults).toEqual(['answered', 'answered', 'answered', 'answered', 'not-indexed', 'not-indexed']);
});

test('throws VendorUnavailableError for a node that is unreachable, rejects ranges or returns invalid logs', async () => {
  const transfers = someTransfers(100, 10, 10, 900);
  const unreachable = createTransferNode(token, { transfers });
  unreachable.beforeSend = () => {
    throw new RpcTransportError('connection refused');
  };
  expect(await faultOf(index(unreachable).readIndex(token, options()))).toBe('unreachable');

  const refusing = createTransferNode(token, { transfers, maxRange: 0 });
  expect(await faultOf(index(refusing).readIndex(token, options()))).toBe('refused');

  const invalidLogs: [string, (log: Record<string, unknown>) => Record<string, unknown>][] = [
    ['wrong-token', (log) => ({ ...log, address: wallet(5) })],
    ['malformed', (log) => ({ ...log, blockNumber: numberToHex(5_000) })],
    ['malformed', (log) => ({ ...log, removed: true })],
    ['malformed', (log) => ({ ...log, topics: [`0x${'11'.repeat(32)}`] })],
    ['malformed', (log) => ({ ...log, data: 'zz' })],
  ];
  for (const [fault, corrupt] of invalidLogs) {
    const faulty = createTransferNode(token, { transfers });
    faulty.rewrite = (call, reply) =>
      call.method === 'eth_getLogs' && 'result' in reply
        ? { result: (reply.result as Record<string, unknown>[]).map((log, n) => (n === 40 ? corrupt(log) : log)) }
        : reply;
    expect(await faultOf(index(faulty).readIndex(token, options()))).toBe(fault);
    expect(await facts.logIndexes.load(token)).toBeUndefined();
  }
});

test('uses the second node when the first one is unreachable', async () => {
  const unreachable = createTransferNode(token);
  unreachable.beforeSend = () => {
    throw new RpcTransportError('connection refused');
  };
  const node = createTransferNode(token, { transfers: someTransfers(100, 10, 10, 900) });
  expect(await readBalances(index([unreachable, node], defaultLogIndexLimits))).toEqual(balancesOf(node.transfers));
});
