import { setTimeout as sleep } from 'node:timers/promises';
import { encodeAbiParameters, type Hex } from 'viem';
import { expect, test, vi } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { RpcTransportError } from '../errors.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { deployments } from '../venues/deployments/deployments.ts';
import { toCandidatePools } from '../venues/families.ts';
import { poolIdOf } from '../venues/uniswapV4/poolKey.ts';
import { createPoolHints, type PoolHintSource } from './poolHints.ts';

const deployment = deployments.base;
const token: LowerAddress = '0x1111111111111111111111111111111111111111';
const keyOf = (fee: number) => ({
  currency0: token,
  currency1: deployment.usdc,
  fee,
  tickSpacing: 10,
  hooks: '0x0000000000000000000000000000000000000000' as const,
});
const keys = [1, 2, 3].map(keyOf);
const ids = keys.map(poolIdOf) as [Hex, Hex, Hex];

/** A node whose position manager returns the keys of all ids. */
function nodeWith() {
  const seen: RpcCall[] = [];
  const answer = ({ params }: RpcCall): RpcReply => {
    const { data } = params[0] as { data: Hex };
    const key = keys[ids.findIndex((id) => data.slice(10, 60) === id.slice(2, 52))];
    const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }));
    return { result: key ? encodeAbiParameters(types, Object.values(key)) : '0x' };
  };
  const node = testNode({
    chain: 'base',
    async send(calls) {
      seen.push(...calls);
      return calls.map(answer);
    },
  });
  return { node, seen };
}

function hintsOf(sources: readonly PoolHintSource[]) {
  const clock = { now: 0 };
  const candidatePools = toCandidatePools(deployment.venues);
  const hints = createPoolHints({ sources, deployment, candidatePools, index: undefined, now: () => clock.now });
  return { hints, clock };
}
const listing = (label: string, pools: readonly Hex[]) => ({ label, fetchPools: vi.fn(async () => pools) });

test('asks each source once in ten minutes, and the node once', async () => {
  const source = listing('one', [ids[0]]);
  const { hints, clock } = hintsOf([source]);
  const { node, seen } = nodeWith();
  for (let round = 0; round < 3; round += 1) {
    expect((await hints.find(token, node)).creations.map(({ id }) => id)).toEqual([ids[0]]);
  }
  expect(source.fetchPools).toHaveBeenCalledOnce();
  expect(seen).toHaveLength(1);
  clock.now += 600_000;
  await hints.find(token, node);
  expect(source.fetchPools).toHaveBeenCalledTimes(2);
});

test('asks again after a minute if a source failed, and keeps the pools until then', async () => {
  const failing = { label: 'two', fetchPools: vi.fn(() => Promise.reject(new Error('down'))) };
  const { hints, clock } = hintsOf([listing('one', [ids[0]]), failing]);
  const { node } = nodeWith();
  expect(await hints.find(token, node)).toMatchObject({ answered: ['one'], failed: ['two'] });
  clock.now += 59_999;
  await hints.find(token, node);
  expect(failing.fetchPools).toHaveBeenCalledOnce();
  clock.now += 1;
  hints.prefetch(token);
  await vi.waitUntil(() => failing.fetchPools.mock.calls.length === 2);
  expect(hints.recall(token).creations).toHaveLength(1);
});

test('does not wait for a slow source, and uses its reply for the next query', async () => {
  let release: (pools: readonly Hex[]) => void = () => undefined;
  const slow: PoolHintSource = {
    label: 'slow',
    fetchPools: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  };
  const { hints } = hintsOf([listing('one', [ids[0]]), slow]);
  const { node } = nodeWith();
  expect(await hints.find(token, node)).toMatchObject({ answered: ['one'], failed: ['slow'] });
  release([ids[1]]);
  await vi.waitUntil(async () => (await hints.find(token, node)).failed.length === 0);
  expect(hints.recall(token).creations.map(({ id }) => id)).toEqual([ids[0], ids[1]]);
});

test('asks the node again if it failed', async () => {
  const { hints } = hintsOf([listing('one', [ids[0]])]);
  const broken = testNode({ chain: 'base', send: () => Promise.reject(new RpcTransportError('base-1 failed.')) });
  expect(await hints.find(token, broken)).toEqual({ creations: [], answered: [], failed: [] });
  expect((await hints.find(token, nodeWith().node)).creations).toHaveLength(1);
});

test('takes the lists of all sources in turn, 20 pools in all, each once', async () => {
  const unknown = (at: number): Hex => `0x${at.toString(16).padStart(64, '0')}`;
  const many = Array.from({ length: 50 }, (_, at) => unknown(at + 1));
  const { hints } = hintsOf([listing('one', [...many, ids[0]]), listing('two', [many[0] as Hex, ids[1], ids[2]])]);
  const { node, seen } = nodeWith();
  const { creations } = await hints.find(token, node);
  expect(creations.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
  expect(seen).toHaveLength(20);
});

test('does not ask beside logs that can be read, nor about routing assets', async () => {
  const source = listing('one', []);
  const { hints } = hintsOf([source]);
  hints.sawLogs(true);
  hints.prefetch(token);
  hints.sawLogs(false);
  hints.prefetch(deployment.usdc);
  await hints.find(deployment.wrappedNative, nodeWith().node);
  await sleep(0);
  expect(source.fetchPools).not.toHaveBeenCalled();
  hints.prefetch(token);
  await vi.waitUntil(() => source.fetchPools.mock.calls.length === 1);
});
