import { numberToHex } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { poolEventsOf } from '../../../engine/index.ts';
import { type HostedRules, startHostedNode } from '../../../tests/support/hostedNode.ts';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import type { Stores } from '../../storage/index.ts';
import { type RpcEndpoint, toLowerAddress } from '../ports.ts';
import { createPoolIndexer, type PoolIndexer } from './poolIndexer.ts';

const [firstBlock, head] = [400_000, 1_000_000];
const settled = head - 64;
const hostedNode = (rules: HostedRules = {}) => startHostedNode({ firstBlock, head: () => head, ...rules });

let stores: Stores;
let indexers: PoolIndexer[] = [];
beforeEach(async () => {
  stores = await openTemporaryStores();
  indexers = [];
});
afterEach(async () => {
  await Promise.all(indexers.map((indexer) => indexer.close()));
  await stores.close();
});

function index(node: RpcEndpoint): PoolIndexer {
  const indexer = createPoolIndexer({
    endpoints: [node],
    store: stores.facts('polygon').poolIndex,
    events: poolEventsOf('polygon'),
    limits: { pauseMs: 0, everyMs: 20_000 },
    onFault: () => undefined,
  });
  indexers.push(indexer);
  return indexer;
}

const untilStatus = (indexer: PoolIndexer, status: string) =>
  vi.waitUntil(() => indexer.state().status === status, { timeout: 20_000, interval: 10 });

test('starts at the first factory, sends single calls and never exceeds a stated limit twice', async () => {
  const node = hostedNode();
  const indexer = index(node);
  await untilStatus(indexer, 'complete');
  expect(indexer.state()).toMatchObject({ percent: 100, blocksLeft: 0, target: settled, reason: undefined });
  const scan = node.ranges.slice(1);
  expect(scan[0]).toMatchObject({ from: settled - 9_999 });
  expect(scan.at(-1)?.from).toBe(firstBlock);
  expect(scan.filter(({ isRefused }) => isRefused).length).toBeLessThan(2);
  expect(scan.length).toBeLessThan(Math.ceil((settled - firstBlock) / 10_000) + 3);
});

test('starts at block 0 if the node has no state of old blocks', async () => {
  const node = hostedNode({ history: false, range: 100_000 });
  const indexer = index(node);
  await untilStatus(indexer, 'complete');
  expect(node.ranges.at(-1)?.from).toBe(0);
});

test.each([
  ['eth_getLogs is limited to a 5,000 range', 5_000],
  ['exceed maximum block range: 5000', 5_000],
  ['block range is limited to 5000 blocks', 5_000],
  ['query returned more than 10000 results', undefined],
  ['range too large: more than 2000 results', undefined],
])('learns the limit from: %s', async (states, limit) => {
  const node = hostedNode({ range: 5_000, states });
  const indexer = index(node);
  await untilStatus(indexer, 'complete');
  const scan = node.ranges.slice(1);
  expect(scan[0]).toMatchObject({ size: 10_000, isRefused: true });
  expect(scan[1]?.size).toBe(5_000);
  // A check divides the blocks that the index lacks by this size.
  const { longestRange } = (await indexer.load(toLowerAddress(numberToHex(1, { size: 20 })))) ?? {};
  expect(longestRange).toBe(5_000);
  // Without a stated limit a larger range is tried again now and then.
  expect(scan.filter(({ isRefused }) => isRefused).length > 1).toBe(limit === undefined);
});

test('reports a node that refuses all logs, with the reason', async () => {
  const indexer = index(hostedNode({ range: 0, states: 'method is not available' }));
  await untilStatus(indexer, 'failing');
  expect(indexer.state()).toMatchObject({
    blocksLeft: settled + 1 - firstBlock,
    reason: "the nodes' logs are refused",
  });
});
