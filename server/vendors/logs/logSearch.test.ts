import { numberToHex, zeroAddress } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import { createTransferNode, type TestTransfer, type TransferNode } from '../../../tests/support/transferNode.ts';
import type { LogIndexStore, Stores } from '../../storage/index.ts';
import { type LowerAddress, RpcTransportError, toLowerAddress, VendorUnavailableError } from '../ports.ts';
import { defaultLogIndexLimits, type LogSearchLimits } from '../vendorConfig.ts';
import { createLogIndexer, type LogIndexer } from './logIndexer.ts';

// A token created at block 50,000 on a node without old states and with ranges of 1,000 blocks: a check has 20 requests,
// all blocks take 100.

const token = toLowerAddress('0x00000000000000000000000000000000000070c0');
const codeProbe = '0x4200000000000000000000000000000000000006';
const wallet = (index: number) => toLowerAddress(numberToHex(index + 1, { size: 20 }));
const head = 100_000;
const fastSearch = { ...defaultLogIndexLimits.search, pauseMs: 0, retryMs: 1 };

let stores: Stores;
let clock = 0;
let indexers: LogIndexer[] = [];
let ends: string[] = [];
beforeEach(async () => {
  stores = await openTemporaryStores();
  clock = 1_800_000_000_000;
  indexers = [];
  ends = [];
});
afterEach(async () => {
  await Promise.all(indexers.map((indexer) => indexer.close()));
  await stores.close();
});

const store = (): LogIndexStore => stores.facts('base').logIndexes;

function oldToken(given: Partial<TransferNode> = {}): TransferNode {
  const moves = Array.from({ length: 300 }, (_, n): TestTransfer => {
    return { block: 50_000 + 160 * n, from: wallet(n % 7), to: wallet(n % 11), value: BigInt(n) };
  });
  const transfers = [{ block: 50_000, from: zeroAddress, to: wallet(0), value: 10n ** 24n }, ...moves];
  return createTransferNode(token, { head, maxRange: 1_000, suggests: true, transfers, ...given });
}

function index(node: TransferNode, search: Partial<LogSearchLimits> = {}, given: Partial<typeof limitsOfCheck> = {}) {
  const indexer = createLogIndexer({
    endpoints: [node],
    store: store(),
    limits: { ...limitsOfCheck, ...given, search: { ...fastSearch, ...search } },
    codeProbe,
    now: () => clock,
    onFault: (error) => expect.fail(String(error)),
    onSearchEnd: (end) => ends.push(end),
  });
  indexers.push(indexer);
  return indexer;
}
const limitsOfCheck = { maxTransfers: 50_000, maxHolders: 5_000, maxRequests: 20 };

/** What the index answers a check. */
const check = (indexer: LogIndexer, of: LowerAddress = token, isFree = false) =>
  indexer.readIndex(of, { signal: new AbortController().signal, isFree }).then(
    ({ holders, first }) => ({ holders: holders?.size, first: first?.block }),
    (error: unknown) => (error instanceof VendorUnavailableError ? error.fault : error),
  );
const found = { holders: 11, first: 50_000 };

const until = (condition: () => unknown) => vi.waitUntil(condition, { timeout: 20_000, interval: 5 });
const untilEnded = (indexer: LogIndexer, of: LowerAddress = token) =>
  until(() => !/in the background/.test(indexer.describe(of) ?? ''));

const logRanges = (node: TransferNode) =>
  node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => params[0] as { fromBlock: string; toBlock: string });

test('one check is enough: a search reads the rest, ends, and the next check has age and holders', async () => {
  const node = oldToken();
  const indexer = index(node);
  expect(await check(indexer)).toBe('not-indexed');
  expect(indexer.describe(token)).toMatch(/^The service reads the logs of this token in the background/);
  await untilEnded(indexer);
  expect(indexer.describe(token)).toBeUndefined();
  expect([indexer.searches(), ends]).toEqual([{ running: 0, waiting: 0 }, ['complete']]);
  expect(logRanges(node).length).toBeLessThan(115);
  node.requests = [];
  expect(await check(indexer)).toEqual(found);
  expect(node.requests.length).toBeLessThan(6);
});

test('the answer of a check states how far the search is and how long it takes', async () => {
  const node = oldToken();
  const indexer = index(node, { pauseMs: 100 });
  node.beforeSend = () => {
    clock += 50;
  };
  expect(await check(indexer)).toBe('not-indexed');
  // 85 requests of 50 ms and a pause of 100 ms.
  expect(indexer.describe(token)).toMatch(
    /^The service reads the logs of this token in the background \(1[4-8] % of the blocks, about a minute left\); a check after that uses them\.$/,
  );
});

test('no search starts without a check, and a check during a search sends nothing', async () => {
  const node = oldToken();
  const indexer = index(node, { pauseMs: 600_000 });
  expect(node.requests).toEqual([]);
  await check(indexer);
  const sent = node.requests.length;
  for (let repeat = 0; repeat < 5; repeat += 1) expect(await check(indexer)).toBe('not-indexed');
  expect(node.requests.length).toBe(sent);
});

test('a free check starts no search; a paid check that joins it does', async () => {
  const node = oldToken();
  const indexer = index(node);
  expect(await check(indexer, token, true)).toBe('not-indexed');
  expect(indexer.describe(token)).toMatch(/^The requests for one search are used up.*; a later check continues it\.$/);
  const sent = node.requests.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(node.requests.length).toBe(sent);
  await Promise.all([check(indexer, token, true), check(indexer)]);
  await untilEnded(indexer);
  expect(await check(indexer)).toEqual(found);
});

test('nothing is sent after the service has closed', async () => {
  const node = oldToken();
  const indexer = index(node);
  await check(indexer);
  await until(() => node.requests.length > 40);
  await indexer.close();
  const sent = node.requests.length;
  expect(sent).toBeLessThan(90);
  await new Promise((resolve) => setImmediate(resolve));
  expect(node.requests.length).toBe(sent);
});

test('after a restart the search continues only with the next check, and reads no block twice', async () => {
  const node = oldToken();
  const first = index(node);
  await check(first);
  await until(() => node.requests.length > 60);
  await first.close();
  const read = (await store().load(token))?.scannedTo ?? 0;
  expect(read).toBeGreaterThan(30_000);
  node.requests = [];
  const second = index(node);
  expect(node.requests).toEqual([]);
  expect(await check(second)).toBe('not-indexed');
  await untilEnded(second);
  expect(await check(second)).toEqual(found);
  const starts = logRanges(node).map(({ fromBlock }) => Number(fromBlock));
  expect(Math.min(...starts)).toBe(read + 1);
});

test('a search ends when the node has no old logs, and the answer states it', async () => {
  const node = oldToken();
  node.rewrite = (call, reply) =>
    call.method === 'eth_getLogs' && Number((call.params[0] as { fromBlock: string }).fromBlock) < 70_000
      ? { error: { code: 4_444, message: 'pruned history unavailable' } }
      : reply;
  const indexer = index(node);
  expect(await check(indexer)).toBe('refused');
  expect(indexer.describe(token)).toBe(
    'The nodes refuse old logs of this token, so the search in its logs, at 0 % of the blocks, cannot go on; a later check finds no more with these nodes.',
  );
  expect(node.requests.length).toBeLessThan(25);
});

test('a search ends when the node refuses a range in the middle', async () => {
  const node = oldToken();
  const indexer = index(node);
  await check(indexer);
  node.rewrite = (call, reply) =>
    call.method === 'eth_getLogs' && Number((call.params[0] as { toBlock: string }).toBlock) > 40_000
      ? { error: { code: -32_000, message: 'missing logs' } }
      : reply;
  await untilEnded(indexer);
  expect(indexer.describe(token)).toMatch(
    /^The nodes refuse old logs of this token, so .* at (?:39|40) % of the blocks/,
  );
  expect(node.requests.length).toBeLessThan(75);
});

test('a search ends when no node responds, after five pauses', async () => {
  const node = oldToken();
  const indexer = index(node);
  await check(indexer);
  node.requests = [];
  node.beforeSend = () => {
    throw new RpcTransportError('connection refused');
  };
  await untilEnded(indexer);
  expect(indexer.describe(token)).toMatch(/^No node responded, so .* stopped; a later check continues it\.$/);
  expect(node.requests.length).toBeLessThanOrEqual(15);
  node.beforeSend = () => undefined;
  expect(await check(indexer)).toBe('not-indexed');
  await untilEnded(indexer);
  expect(await check(indexer)).toEqual(found);
});

test('a search ends at its limit of requests; the search of a later check continues it', async () => {
  const node = oldToken();
  const indexer = index(node, { maxRequests: 60 });
  for (let checks = 1; checks <= 2; checks += 1) {
    expect(await check(indexer)).toBe('not-indexed');
    await untilEnded(indexer);
    expect(node.requests.length).toBeLessThanOrEqual(checks * 80);
  }
  expect(await check(indexer)).toEqual(found);
});

test('a search ends at its limit of time', async () => {
  const node = oldToken();
  const indexer = index(node, { maxMs: 30 });
  await check(indexer);
  node.beforeSend = () => new Promise((resolve) => setTimeout(resolve, 40));
  await untilEnded(indexer);
  expect(indexer.describe(token)).toMatch(/^The requests for one search are used up/);
});

test('a search ends when a node recovers from a failure, with all blocks read', async () => {
  const node = oldToken();
  const indexer = index(node);
  await check(indexer);
  let sent = 0;
  node.beforeSend = () => {
    sent += 1;
    if (sent % 20 > 13) throw new RpcTransportError('connection refused');
  };
  await untilEnded(indexer);
  node.beforeSend = () => undefined;
  expect(await check(indexer)).toEqual(found);
});

test('a search ends when the token has more transfers than the index stores; its age is known', async () => {
  const node = oldToken();
  const indexer = index(node, {}, { maxTransfers: 100 });
  await check(indexer);
  await untilEnded(indexer);
  expect(indexer.describe(token)).toBe(
    'The token has more than 100 transfers or 5000 holders, so the service does not index them.',
  );
  node.requests = [];
  expect(await check(indexer)).toEqual({ holders: undefined, first: 50_000 });
  expect(logRanges(node)).toEqual([]);
});

test('a search ends before it starts, if the node returns so few blocks at a time that it could not end', async () => {
  const node = oldToken({ maxRange: 10 });
  const indexer = index(node, { maxRequests: 100 });
  expect(await check(indexer)).toBe('not-indexed');
  expect(indexer.describe(token)).toMatch(/^The nodes return logs of so few blocks at a time/);
  const sent = node.requests.length;
  expect(await check(indexer)).toBe('not-indexed');
  expect(node.requests.length).toBe(sent);
  // Another node replied in the meantime, or this one has a longer range now.
  node.maxRange = 1_000;
  clock += 3_600_000;
  expect(await check(indexer)).toBe('not-indexed');
  await untilEnded(indexer);
  expect(await check(indexer)).toEqual(found);
});

test('junk tokens: one search at a time, a bounded queue, and a bounded number of requests a day', async () => {
  const node = oldToken();
  node.rewrite = (call, reply) => (call.method === 'eth_getLogs' && 'result' in reply ? { result: [] } : reply);
  let open = 0;
  let most = 0;
  const send = node.send;
  node.send = async (calls, options) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    return send(calls, options).finally(() => {
      open -= 1;
    });
  };
  const indexer = index(node, { maxWaiting: 3, maxRequestsPerDay: 250 });
  const junk = Array.from({ length: 10 }, (_, n) => wallet(1_000 + n));
  for (const one of junk) await check(indexer, one);
  const ofChecks = 10 * 20;
  const described = junk.map((one) => indexer.describe(one) ?? '');
  expect(described.filter((text) => text.startsWith('The service reads the logs of many other tokens'))).not.toEqual(
    [],
  );
  most = 0;
  for (const one of junk) await untilEnded(indexer, one);
  expect(most).toBe(1);
  expect(node.requests.length).toBeLessThanOrEqual(ofChecks + 250);
  expect(junk.map((one) => indexer.describe(one))).toContainEqual(
    expect.stringMatching(/requests for all searches of a day are used up.*a check in about 24 h continues it\.$/),
  );
  clock += 86_400_000;
  const late = junk.at(-1) ?? token;
  await check(indexer, late);
  await untilEnded(indexer, late);
  expect(await check(indexer, late)).toEqual({ holders: 0, first: undefined });
});
