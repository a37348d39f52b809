import { setTimeout as sleep } from 'node:timers/promises';
import { encodeAbiParameters, numberToHex, parseAbiParameters } from 'viem';
import { expect, test, vi } from 'vitest';
import { poolEventsOf } from '../../../engine/index.ts';
import type { PoolIndexStore } from '../../storage/index.ts';
import type { LogRpc } from '../logs/logRpc.ts';
import { toLowerAddress } from '../ports.ts';
import { createImportConfirmer } from './confirmImported.ts';
import { loadWithRanges } from './loadWithRanges.ts';

const events = poolEventsOf('polygon');
const factory = toLowerAddress('0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c');
const word = (value: number) => numberToHex(value, { size: 32 });
const address = (value: number) => toLowerAddress(numberToHex(value, { size: 20 }));
const none = address(0);
/** An imported pair of token 1. */
const pair = (id: number) => ({
  event: 'pair' as const,
  factory,
  id: address(id),
  currency0: address(1),
  currency1: address(2),
  fee: 0,
  tickSpacing: 0,
  hooks: none,
  blockNumber: id,
  isImported: true as const,
});
const logOf = (block: number) => ({
  address: factory,
  topics: ['0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9', word(1), word(2)],
  data: encodeAbiParameters(parseAbiParameters('address, uint256'), [address(block), 1n]),
  blockNumber: numberToHex(block),
  blockHash: word(block),
  transactionHash: word(block),
});

/** A node with the creation logs of these blocks. */
function nodeOf(blocks: readonly number[]) {
  const send = vi.fn<LogRpc['send']>(async (calls) =>
    calls.map(({ params }) => {
      const block = Number((params[0] as { fromBlock: string }).fromBlock);
      return { result: blocks.includes(block) ? [logOf(block)] : [] };
    }),
  );
  return { rpc: { send }, send };
}
const storeOf = (confirmPools: PoolIndexStore['confirmPools']) => ({ confirmPools }) as PoolIndexStore;
const never = () => new Promise<never>(() => undefined);

test('a load does not wait for the write of confirmed pools, and confirms each once', async () => {
  const { rpc, send } = nodeOf([7]);
  let isWritten = false;
  const write = () =>
    sleep(20).then(() => {
      isWritten = true;
    });
  const confirmer = createImportConfirmer({ rpc, store: storeOf(write), events, now: Date.now });
  const { isImported: _, ...confirmed } = pair(7);
  expect(await confirmer.confirm([pair(7)])).toEqual({ pools: [confirmed], areAllConfirmed: true });
  expect(isWritten).toBe(false);
  expect(await confirmer.confirm([pair(7)])).toEqual({ pools: [confirmed], areAllConfirmed: true });
  expect(send).toHaveBeenCalledTimes(1);
  await confirmer.close();
  expect(isWritten).toBe(true);
});

test('a pool that the node refutes is left out, and requested again after an hour', async () => {
  const { rpc, send } = nodeOf([]);
  let time = 0;
  const confirmer = createImportConfirmer({ rpc, store: storeOf(never), events, now: () => time });
  for (time of [0, 3_599_999, 3_600_000])
    expect(await confirmer.confirm([pair(7)])).toEqual({ pools: [], areAllConfirmed: false });
  expect(send).toHaveBeenCalledTimes(2);
});

test('a load does not wait long for a slow node; its reply counts for the next load', async () => {
  const { rpc, send } = nodeOf([7]);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = { send: (calls: Parameters<LogRpc['send']>[0]) => held.then(() => rpc.send(calls)) };
  const confirmer = createImportConfirmer({ rpc: slow, store: storeOf(async () => undefined), events, now: Date.now });
  expect(await confirmer.confirm([pair(7)])).toEqual({ pools: [], areAllConfirmed: false });
  release();
  await vi.waitUntil(() => send.mock.calls.length === 1);
  await vi.waitUntil(async () => (await confirmer.confirm([pair(7)])).areAllConfirmed);
  expect(send).toHaveBeenCalledTimes(1);
  await confirmer.close();
});

test.each([
  ['deleted once', [[{ from: 0, to: 99 }], [{ from: 50, to: 99 }], [{ from: 50, to: 99 }]], { scannedTo: -1n }],
  ['extended', [[{ from: 0, to: 99 }], [{ from: 0, to: 120 }]], { scannedTo: 99n }],
  ['deleted for good', [[{ from: 0, to: 99 }], [], []], undefined],
])('loads pools with the blocks that the index has, if they are %s meanwhile', async (_name, replies, expected) => {
  const { rpc } = nodeOf([]);
  const ranges = [...replies];
  const found = await loadWithRanges(async () => [], {
    most: 5,
    confirmer: createImportConfirmer({ rpc, store: storeOf(never), events, now: Date.now }),
    loadRanges: async () => ranges.shift() ?? [],
    longestRange: undefined,
    seenHead: undefined,
  });
  if (expected) expect(found).toMatchObject(expected);
  else expect(found).toBeUndefined();
});
