import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ChainCall, JsonRpcError } from '../../chainCall.ts';
import type { PaidOnChain } from '../../recheck.ts';
import { createRecheck, recordLoss } from './recheckPaid.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** A header of a chain with five blocks a second, whose first block is of second 1,000. */
const headAt = (block: number) => ({
  number: `0x${block.toString(16)}`,
  timestamp: `0x${(1_000 + Math.floor(block / 5)).toString(16)}`,
});
const paid = (hash: `0x${string}`): PaidOnChain => ({
  hash,
  key: hash,
  block: 0n,
  readStatus: async () => ({ kind: 'open' }),
  again: { id: hash, send: async () => true },
});
function start(call: ChainCall) {
  const closing = new AbortController();
  const recheck = createRecheck({
    network: 'eip155:8453',
    call,
    everyMs: 5,
    logger: silent,
    signal: closing.signal,
  });
  return { recheck, close: () => closing.abort() };
}

test('behavior: rechecks the replacement of a dropped transaction and records no loss', async () => {
  const readHashes: unknown[] = [];
  const lost: string[] = [];
  let rounds = 0;
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_getBlockByNumber') return shape.parse(headAt((rounds++ + 1) * 25 + 100));
    readHashes.push(hash);
    const included = { status: '0x1', transactionHash: hash, blockNumber: '0x64', logs: [] };
    return shape.parse(hash === replacement ? included : null);
  };
  const [dropped, replacement] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
  const closing = new AbortController();
  const recheck = createRecheck({
    network: 'eip155:8453',
    call,
    everyMs: 5,
    logger: silent,
    signal: closing.signal,
    onLost: (key) => lost.push(key),
  });
  recheck.add({
    hash: dropped,
    key: 'key',
    block: 0n,
    readStatus: async () => ({ kind: 'settled', transaction: replacement }),
    // The broadcast fails, because the replacement has used the nonce.
    again: { id: dropped, send: async () => false },
  });
  // The replacement is rechecked at both depths. Then it is no longer watched.
  await expect.poll(() => readHashes).toEqual([dropped, replacement, replacement]);
  closing.abort();
  expect(lost).toEqual([]);
});

test('behavior: rechecks at most sixteen payments at once', async () => {
  let rounds = 0;
  let concurrent = 0;
  let highest = 0;
  const readHashes = new Set<unknown>();
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_getBlockByNumber') return shape.parse(headAt((rounds++ + 1) * 100 + 100));
    readHashes.add(hash);
    highest = Math.max(highest, ++concurrent);
    await sleep(1);
    concurrent -= 1;
    throw new JsonRpcError(-32000, 'pruned', undefined);
  };
  const { recheck, close } = start(call);
  for (let index = 0; index < 40; index += 1) recheck.add(paid(`0x${index.toString(16)}`));
  await expect.poll(() => readHashes.size).toBe(40);
  close();
  expect(highest).toBe(16);
});

test('behavior: a payment whose receipt cannot be read does not block the others', async () => {
  let rounds = 0;
  const hashes = ['0x01', '0x02', '0x03'] as const;
  const readHashes = new Set<unknown>();
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_getBlockByNumber') return shape.parse(headAt((rounds++ + 1) * 100 + 100));
    readHashes.add(params[0]);
    throw new JsonRpcError(-32000, 'pruned', undefined);
  };
  const { recheck, close } = start(call);
  for (const hash of hashes) recheck.add(paid(hash));
  await expect.poll(() => [...readHashes]).toEqual(hashes);
  close();
});

/** Rechecks one payment of block 100 on a chain that gains one block a round. Returns the blocks of the two rechecks. */
async function recheckedAt(headOf: (block: number) => object, included: (block: number) => number = () => 100) {
  let head = 100;
  const readAt: number[] = [];
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_getBlockByNumber') {
      head += 1;
      return shape.parse(headOf(head));
    }
    readAt.push(head);
    const blockNumber = `0x${included(head).toString(16)}`;
    return shape.parse({ status: '0x1', transactionHash: hash, blockNumber, logs: [] });
  };
  const { recheck, close } = start(call);
  recheck.add({ ...paid(`0x${'03'.repeat(32)}`), block: 100n });
  await expect.poll(() => readAt.length, { timeout: 10_000 }).toBe(2);
  close();
  return readAt;
}

test.each([
  ['five blocks a second', 0.2, [140, 420]],
  ['a block every two seconds', 2, [105, 133]],
  ['a block every twelve seconds', 12, [102, 107]],
])(
  'behavior: reads a receipt again 8 and 64 seconds after the first head, with %s',
  async (_name, seconds, expected) => {
    const paced = (block: number) => ({
      number: `0x${block.toString(16)}`,
      timestamp: `0x${(1_000 + Math.floor(block * seconds)).toString(16)}`,
    });
    expect(await recheckedAt(paced)).toEqual(expected);
  },
);

test('behavior: counts the 64 seconds from the recheck that found the payment in another block', async () => {
  expect(await recheckedAt(headAt, () => 130)).toEqual([140, 460]);
});

test('behavior: waits while the node is behind the block of the payment, whatever the time', async () => {
  let head = 90;
  const readAt: number[] = [];
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_getBlockByNumber') {
      head += 1;
      return shape.parse({ number: `0x${head.toString(16)}`, timestamp: `0x${(head * 100).toString(16)}` });
    }
    readAt.push(head);
    return shape.parse({ status: '0x1', transactionHash: hash, blockNumber: '0x64', logs: [] });
  };
  const { recheck, close } = start(call);
  recheck.add({ ...paid(`0x${'03'.repeat(32)}`), block: 100n });
  await expect.poll(() => readAt.length).toBe(2);
  close();
  expect(readAt[0]).toBe(101);
});

test('a loss is an event and is recorded; a failure to record it is logged', async () => {
  const events: unknown[] = [];
  const recorded: string[] = [];
  const lines: object[] = [];
  const write = (facts: object) => void lines.push(facts);
  const recordWith = (fault?: Error) =>
    recordLoss('eip155:8453', {
      ledger: {
        async lost(key) {
          if (fault) throw fault;
          recorded.push(key);
        },
      },
      onEvent: (event) => void events.push(event),
      logger: { info: write, warn: write, error: write },
    });
  recordWith()('the key');
  const err = new Error('full');
  recordWith(err)('another');
  await expect.poll(() => lines).toEqual([{ payment: 'another', err }]);
  expect(recorded).toEqual(['the key']);
  expect(events).toEqual(Array(2).fill({ kind: 'payment lost', network: 'eip155:8453' }));
});
