import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { encodeAbiParameters, type Hex, numberToHex, parseAbiParameters } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { poolEventsOf, toLowerAddress } from '../../engine/index.ts';
import { type HostedNode, startHostedNode } from '../../tests/support/hostedNode.ts';
import { openTemporaryStores } from '../../tests/support/temporaryStores.ts';
import type { Stores } from '../storage/index.ts';
import { createLogRpc, createPoolIndexer, type PoolIndexer } from '../vendors/index.ts';
import { exportIndex } from './exportIndex.ts';
import { importIndex } from './importIndex.ts';
import { readIndexFile } from './indexFile.ts';

const events = poolEventsOf('polygon');
const head = 200_000;
const settled = head - 64;
const word = (value: number): Hex => numberToHex(value, { size: 32 });
const token = toLowerAddress(numberToHex(1, { size: 20 }));
const factory = '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c';

/** A pair in each hundredth block; each tenth pair has the token. */
function logs(from: number, to: number) {
  const blocks = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter((block) => block % 100 === 0);
  return blocks.map((block) => ({
    address: factory,
    topics: [
      '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
      word(block % 1_000 === 0 ? 1 : 2 ** 29 + block),
      word(2 ** 30 + block),
    ],
    data: encodeAbiParameters(parseAbiParameters('address, uint256'), [numberToHex(block + 1, { size: 20 }), 1n]),
    blockNumber: numberToHex(block),
    blockHash: word(block),
    transactionHash: word(block),
  }));
}

let folder: string;
let file: string;
let [from, to]: [Stores, Stores] = [] as never;
const running: PoolIndexer[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-index-file-'));
  file = join(folder, 'polygon.ndjson.gz');
  [from, to] = [await openTemporaryStores(), await openTemporaryStores()];
});
afterEach(async () => {
  for (const index of running.splice(0)) await index.close();
  await Promise.all([from.close(), to.close()]);
  await rm(folder, { recursive: true });
});

const node = (more: Parameters<typeof startHostedNode>[0] = {}) =>
  startHostedNode({ head: () => head, range: 10_000, batches: true, chainId: 137, logs, ...more });
const storeOf = (stores: Stores) => stores.facts('polygon').poolIndex;

function startIndex(stores: Stores, endpoint: HostedNode): PoolIndexer {
  const limits = { pauseMs: 0, everyMs: 60_000 };
  const options = { endpoints: [endpoint], store: storeOf(stores), events, limits, onFault: () => undefined };
  const index = createPoolIndexer(options);
  running.push(index);
  return index;
}

async function complete(stores: Stores, endpoint = node()): Promise<PoolIndexer> {
  const index = startIndex(stores, endpoint);
  await vi.waitUntil(() => index.state().status === 'complete', { timeout: 20_000 });
  return index;
}

const exportFrom = (stores: Stores, target = file) => exportIndex('polygon', events, storeOf(stores), target);

/** @param picks what is compared: blocks and offsets, in turn; default: at random */
const importTo = (stores: Stores, sha256: string, endpoint = node(), random?: (below: number) => number) => {
  const rpc = createLogRpc([endpoint], new AbortController().signal, () => undefined);
  const open = () => ({ chain: 'polygon' as const, events, store: storeOf(stores), rpc });
  return importIndex(file, sha256, open, random);
};

/** Replaces the file by one with other lines and the hash of these. */
async function rewrite(change: (lines: string[]) => string[]): Promise<string> {
  const lines = change(
    gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split('\n')
      .slice(0, -1),
  );
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  await writeFile(file, gzipSync(`${text}${JSON.stringify({ pools: lines.length - 1, sha256 })}\n`));
  return sha256;
}

const blocksOf = async (index: PoolIndexer) => (await index.load(token))?.creations.map((pool) => pool.blockNumber);
const ownBlocks = (last = settled) =>
  logs(0, last).flatMap(({ blockNumber }) => (Number(blockNumber) % 1_000 === 0 ? [Number(blockNumber)] : []));

test('another deployment starts with the exported blocks and reads only later ones', async () => {
  await complete(from);
  const summary = await exportFrom(from);
  expect(summary.pools).toBe(logs(0, settled).length);
  expect(await readIndexFile(file)).toEqual(summary);
  expect(await importTo(to, summary.sha256.toUpperCase())).toEqual(summary);
  expect(await storeOf(to).loadRanges(events.scope)).toEqual([{ from: 0, to: settled }]);

  const later = node({ head: () => head + 1_000 });
  const index = await complete(to, later);
  const scanned = later.ranges.slice(1).filter(({ size }) => size > 1);
  expect(scanned).toEqual([{ from: settled + 1, size: 1_000, isRefused: false }]);
  // The node confirms the imported pools, fifty in one load.
  for (let load = 0; load < 4; load += 1) await index.load(token);
  const requests = later.ranges.length;
  expect(await index.load(token)).toMatchObject({ truncated: false, scannedTo: BigInt(settled + 1_000) });
  expect(await blocksOf(index)).toEqual(ownBlocks(settled + 1_000));
  expect(later.ranges.length).toBe(requests);
});

test('two deployments with the same blocks export the same hash', async () => {
  await complete(from);
  const { sha256 } = await exportFrom(from);
  await importTo(to, sha256);
  expect((await exportFrom(to, join(folder, 'again.gz'))).sha256).toBe(sha256);
});

test('an import adds its ranges to those that the deployment has', async () => {
  await complete(from);
  const { sha256 } = await exportFrom(from);
  const hash = word(300_001);
  await storeOf(to).save(events.scope, undefined, { from: 250_000, to: 300_000, hash }, []);
  await importTo(to, sha256);
  expect(await storeOf(to).loadRanges(events.scope)).toEqual([
    { from: 0, to: settled },
    { from: 250_000, to: 300_000 },
  ]);
  expect((await storeOf(to).loadCheckpoints(events.scope)).map(({ block }) => block)).toEqual([300_000, settled]);
});

test('an export reads the ranges that are stored at its start, while the service adds others', async () => {
  await complete(from);
  const store = storeOf(from);
  const [pool] = await store.loadPage(events.scope, undefined, 1);
  let isAdded = false;
  const loadPage: typeof store.loadPage = async (...page) => {
    if (!isAdded && pool) {
      isAdded = true;
      const [at] = await store.loadCheckpoints(events.scope);
      const later = { ...pool, id: numberToHex(2 ** 40, { size: 20 }), blockNumber: settled + 7 };
      await store.save(events.scope, at, { from: settled + 1, to: settled + 9, hash: word(1) }, [later]);
    }
    return store.loadPage(...page);
  };
  const summary = await exportIndex('polygon', events, { ...store, loadPage }, file);
  expect(summary.header.ranges).toEqual([[0, settled]]);
  expect(summary.pools).toBe(logs(0, settled).length);
});

test('refuses an empty index and an existing file', async () => {
  await expect(exportFrom(from)).rejects.toThrow('has no blocks yet');
  await complete(from);
  await writeFile(file, 'mine');
  await expect(exportFrom(from)).rejects.toThrow('EEXIST');
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test.each<[string, (lines: string[]) => string[], RegExp]>([
  [
    'of another chain',
    ([head = '', ...rest]) => [head.replace('"chainId":137', '"chainId":8453'), ...rest],
    /chain 8453/,
  ],
  ['of other factories', ([head = '', ...rest]) => [head.replace(events.scope, word(1)), ...rest], /other factories/],
  [
    'of another fork',
    ([head = '', ...rest]) => [head.replace(word(settled + 1), word(7)), ...rest],
    /block 199936 has the hash/,
  ],
  [
    'without half of its pools',
    ([head = '', ...rest]) => [head, ...rest.filter((_, at) => at % 2 === 0)],
    /lacks a pool/,
  ],
  [
    'with other tokens in its pools',
    ([head = '', ...rest]) => [head, ...rest.map((line) => line.replace(`"pair","${token}"`, `"pair","${factory}"`))],
    /lacks a pool|has a pool that the node lacks/,
  ],
  ['with pools in another order', ([head = '', ...rest]) => [head, ...rest.toReversed()], /not in order/],
  [
    'with a pool of a foreign factory',
    (lines) => lines.map((line, at) => (at === 3 ? line.replace(factory, token) : line)),
    /none of its factories/,
  ],
  ['without a header', (lines) => lines.slice(1), /not an exported pool index/],
])('refuses a file %s, and nothing counts as read', async (_name, change, reason) => {
  await complete(from);
  await exportFrom(from);
  const sha256 = await rewrite(change);
  await expect(importTo(to, sha256)).rejects.toThrow(reason);
  expect(await storeOf(to).loadRanges(events.scope)).toEqual([]);
  expect(await storeOf(to).loadPage(events.scope, undefined, 10)).toEqual([]);
});

test('refuses a file with another hash, a changed or a cut one', async () => {
  await complete(from);
  const { sha256 } = await exportFrom(from);
  await expect(importTo(to, 'ab'.repeat(32))).rejects.toThrow(`has the SHA-256 ${sha256}`);
  const whole = await readFile(file);
  const text = gunzipSync(whole).toString();
  await writeFile(file, gzipSync(text.replace('"polygon"', '"polygom"')));
  await expect(importTo(to, sha256)).rejects.toThrow('does not match its last line');
  await writeFile(file, whole.subarray(0, whole.length / 2));
  await expect(importTo(to, sha256)).rejects.toThrow('unexpected end of file');
  await writeFile(file, gzipSync(text.slice(0, -10)));
  await expect(importTo(to, sha256)).rejects.toThrow('last line is not complete');
});

test('a pool that no log creates is never returned, although the comparison missed it', async () => {
  await complete(from);
  await exportFrom(from);
  const fake = JSON.stringify([
    factory,
    numberToHex(2 ** 50, { size: 20 }),
    'pair',
    token,
    toLowerAddress(numberToHex(5, { size: 20 })),
    0,
    0,
    numberToHex(0, { size: 20 }),
    150_000,
  ]);
  const sha256 = await rewrite((lines) => [...lines, fake]);
  // The comparison reads only the first and the last blocks.
  await importTo(to, sha256, node(), (below) => below - 1);
  const index = await complete(to);
  for (let load = 0; load < 6; load += 1) await index.load(token);
  expect(await blocksOf(index)).toEqual(ownBlocks());
  // An answer is not conclusive while a pool of the file is not confirmed.
  expect((await index.load(token))?.truncated).toBe(true);
});

test('a log that the deployment reads itself replaces an imported pool', async () => {
  await complete(from);
  const [pool] = await storeOf(from).loadPage(events.scope, undefined, 1);
  if (!pool) throw new TypeError('The index is empty.');
  await storeOf(to).importPools(events.scope, [{ ...pool, currency0: token, blockNumber: 5 }]);
  expect(await storeOf(to).loadPools(events.scope, token, 5)).toMatchObject([{ isImported: true, blockNumber: 5 }]);
  await storeOf(to).save(events.scope, undefined, { from: 0, to: 100, hash: word(1) }, [pool]);
  expect(await storeOf(to).loadPage(events.scope, undefined, 5)).toEqual([pool]);
});
