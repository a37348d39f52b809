import {
  type Address,
  concatHex,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbiParameters,
} from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toWeightedCreation } from '../poolEvents.ts';
import type { IndexedPools, WeightedCreation, WeightedIndex } from '../poolIndex.ts';
import { createWeightedList } from './weightedList.ts';
import { weightedRowsOf } from './weightedPools.ts';

const rows = weightedRowsOf(deployments.polygon);
const factory = rows[0]?.factory as Address;
const createdTopic = '0x83a48fbcfc991335314e74d0496aab6a1987e992ddc85dddbcc4d6dd6ef2e9fc';
const addressOf = (number: number) => numberToHex(number, { size: 20 }) as LowerAddress;
const word = (address: Address): Hex => numberToHex(BigInt(address), { size: 32 });
const [token, usdc] = [addressOf(1), addressOf(2)];
const poolAt = (pool: number) => addressOf(0x100000 + pool);
const head = 50_000n;
const hour = 3_600_000;

interface FakeNode {
  node: Node;
  /** First blocks of the requested logs. */
  ranges: string[];
  requests: number;
}

/** A node whose factory created pools 0 to `created() - 1`, each with the token and USDC. */
function nodeWith(created: () => number, fault: (call: RpcCall) => RpcReply | undefined = () => undefined): FakeNode {
  const fake = { ranges: [] as string[], requests: 0 };
  const node = testNode({
    chain: 'polygon',
    send: async (calls) => {
      fake.requests += 1;
      return calls.map((call) => fault(call) ?? reply(call));
    },
  });
  return Object.assign(fake, { node });

  function reply({ method, params }: RpcCall): RpcReply {
    if (method === 'eth_getBlockByNumber') {
      const hash = word(addressOf(9));
      return { result: { number: numberToHex(head), hash, parentHash: hash, timestamp: '0x64' } };
    }
    if (method === 'eth_getLogs') {
      fake.ranges.push((params[0] as { fromBlock: string }).fromBlock);
      const logs = Array.from({ length: created() }, (_, pool) => ({
        address: factory,
        topics: [createdTopic, word(poolAt(pool))],
        data: '0x',
        blockNumber: '0x1',
      }));
      return { result: logs };
    }
    const { args } = decodeFunctionData({ abi: multicall3Abi, data: (params[0] as { data: Hex }).data });
    const results = ((args?.[0] ?? []) as readonly { target: Address; callData: Hex }[]).map(
      ({ target, callData }) => ({
        success: true,
        returnData: callData === '0x38fff2d0' ? concatHex([target, numberToHex(1, { size: 12 })]) : tokens,
      }),
    );
    return { result: encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results }) };
  }
}
const tokens = encodeAbiParameters(parseAbiParameters('address[], uint256[], uint256'), [[token, usdc], [1n, 1n], 1n]);

function listAt(index?: WeightedIndex) {
  const clock = { now: 0 };
  return { clock, list: createWeightedList({ deployment: deployments.polygon, now: () => clock.now, index }) };
}

/** An index with some of the factory's pools. */
function indexOf(pools: number, blocks: Partial<IndexedPools<WeightedCreation>> = {}): WeightedIndex {
  const creations = Array.from({ length: pools }, (_, pool): WeightedCreation => {
    const topics = [createdTopic, word(poolAt(pool))] as const;
    const creation = toWeightedCreation({ address: factory, topics, blockNumber: 1 }, [factory as LowerAddress]);
    if (!creation) throw new TypeError('The log creates no weighted pool.');
    return creation;
  });
  const range = { from: 0n, to: 49_000n };
  return {
    loadWeighted: async () => ({
      ...{ creations, truncated: false, scannedTo: range.to, newest: range, longestRange: 500, seenHead: 49_900n },
      ...blocks,
    }),
  };
}

test('reads all pools in three requests, and later only logs of newer blocks', async () => {
  const { clock, list } = listAt();
  let created = 3;
  const fake = nodeWith(() => created);
  expect(list.ofToken(token)).toBeUndefined();
  await Promise.all([list.refresh(fake.node), list.refresh(fake.node)]);
  expect(fake.requests).toBe(3);
  expect(list.ofToken(token)?.map(({ id }) => id.slice(0, 42))).toEqual([0, 1, 2].map(poolAt));
  expect(list.ofToken(addressOf(5))).toEqual([]);
  await list.refresh(fake.node);
  expect(fake.requests).toBe(3);
  clock.now += hour;
  await list.refresh(fake.node);
  expect(fake.requests).toBe(4);
  created = 4;
  list.forget();
  await list.refresh(fake.node);
  expect(fake.requests).toBe(7);
  expect(list.ofToken(token)).toHaveLength(4);
  expect(fake.ranges).toEqual(['0x0', numberToHex(head - 1_000n), numberToHex(head - 1_000n)]);
});

test('reads again after forget() in the last 30 seconds before the next read is due', async () => {
  const { clock, list } = listAt();
  const fake = nodeWith(() => 1);
  await list.refresh(fake.node);
  const { requests } = fake;
  clock.now += 599_999;
  await list.refresh(fake.node);
  expect(fake.requests).toBe(requests);
  list.forget();
  await list.refresh(fake.node);
  expect(fake.requests).toBe(requests + 1);
});

test('reads again after forget() during a read', async () => {
  const { list } = listAt();
  const fake = nodeWith(() => 1);
  const running = list.refresh(fake.node);
  list.forget();
  await running;
  const { requests } = fake;
  await list.refresh(fake.node);
  expect(fake.requests).toBe(requests + 1);
  await list.refresh(fake.node);
  expect(fake.requests).toBe(requests + 1);
});

test('keeps the 2,000 oldest pools if there are more', async () => {
  const { list } = listAt();
  await list.refresh(nodeWith(() => 3_000).node);
  expect(list.ofToken(token)).toHaveLength(2_000);
  expect(list.ofToken(token)?.[0]?.id.slice(0, 42)).toBe(poolAt(0));
});

test.each(['eth_getLogs', 'eth_call'])('retries after 30 seconds if a node refuses %s', async (refused) => {
  const { clock, list } = listAt();
  let isRefused = true;
  const fault = ({ method }: RpcCall) =>
    isRefused && method === refused ? { error: { code: -32_005, message: 'no' } } : undefined;
  const fake = nodeWith(() => 2, fault);
  await list.refresh(fake.node);
  expect(list.ofToken(token)).toBeUndefined();
  const { requests } = fake;
  isRefused = false;
  list.forget();
  await list.refresh(fake.node);
  expect(fake.requests).toBe(requests);
  clock.now += 30_000;
  await list.refresh(fake.node);
  expect(list.ofToken(token)).toHaveLength(2);
});

test('a failed refresh keeps the pools of the previous read', async () => {
  const { clock, list } = listAt();
  await list.refresh(nodeWith(() => 2).node);
  clock.now += hour;
  const refuses = nodeWith(
    () => 2,
    () => ({ error: { code: -32_005, message: 'no' } }),
  );
  await list.refresh(refuses.node);
  expect(list.ofToken(token)).toHaveLength(2);
});

test('with an index, reads only the logs after it, in ranges that the node accepts', async () => {
  const { list } = listAt(indexOf(3));
  const fake = nodeWith(() => 0);
  await list.refresh(fake.node);
  expect(fake.ranges).toEqual([numberToHex(49_001n), numberToHex(49_501n)]);
  expect(list.ofToken(token)).toHaveLength(3);
  expect(list.isComplete()).toBe(true);
});

test('an index that lacks earlier blocks returns its pools, is not complete and is read again after 30 seconds', async () => {
  const indexed = { scannedTo: -1n, newest: { from: 40_000n, to: 49_000n } };
  const index = indexOf(2, indexed);
  const { clock, list } = listAt(index);
  const fake = nodeWith(() => 0);
  await list.refresh(fake.node);
  expect(list.ofToken(token)).toHaveLength(2);
  expect(list.isComplete()).toBe(false);
  Object.assign(index, indexOf(5));
  clock.now += 30_000;
  await list.refresh(fake.node);
  expect(list.ofToken(token)).toHaveLength(5);
  expect(list.isComplete()).toBe(true);
});

test('a node that refuses the logs after the index leaves the pools of the index', async () => {
  const { list } = listAt(indexOf(2));
  const refused = { error: { code: -32_005, message: 'no' } };
  const fake = nodeWith(
    () => 0,
    ({ method }) => (method === 'eth_getLogs' ? refused : undefined),
  );
  await list.refresh(fake.node);
  expect(list.ofToken(token)).toHaveLength(2);
  expect(list.isComplete()).toBe(false);
});

test.each([
  ['fails', { loadWeighted: () => Promise.reject(new Error('no disk')) }],
  ['is empty', { loadWeighted: async () => undefined }],
])('reads the logs of all blocks if the index %s', async (_name, index) => {
  const { list } = listAt(index);
  const fake = nodeWith(() => 2);
  await list.refresh(fake.node);
  expect(fake.ranges).toEqual(['0x0']);
  expect(list.isComplete()).toBe(true);
});
