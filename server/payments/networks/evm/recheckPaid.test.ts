import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ChainCall, JsonRpcError } from '../../chainCall.ts';
import type { PaidOnChain } from '../../recheck.ts';
import { createRecheck, recordLoss } from './recheckPaid.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
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
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_blockNumber') return shape.parse(`0x${(100 + new Set(readHashes).size * 40).toString(16)}`);
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
  let concurrent = 0;
  let highest = 0;
  const readHashes = new Set<unknown>();
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_blockNumber') return shape.parse('0x64');
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
  const hashes = ['0x01', '0x02', '0x03'] as const;
  const readHashes = new Set<unknown>();
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_blockNumber') return shape.parse('0x64');
    readHashes.add(params[0]);
    throw new JsonRpcError(-32000, 'pruned', undefined);
  };
  const { recheck, close } = start(call);
  for (const hash of hashes) recheck.add(paid(hash));
  await expect.poll(() => [...readHashes]).toEqual(hashes);
  close();
});

test('behavior: reads a receipt again when its block is 4 and when it is 32 blocks deep', async () => {
  let head = 0n;
  const readAt: bigint[] = [];
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_blockNumber') {
      head += 1n;
      return shape.parse(`0x${head.toString(16)}`);
    }
    readAt.push(head);
    return shape.parse({ status: '0x1', transactionHash: hash, blockNumber: '0x0', logs: [] });
  };
  const { recheck, close } = start(call);
  recheck.add(paid(`0x${'03'.repeat(32)}`));
  await expect.poll(() => readAt.length).toBe(2);
  close();
  expect(readAt).toEqual([4n, 32n]);
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
