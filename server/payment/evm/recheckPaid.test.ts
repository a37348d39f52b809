import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ChainCall, NodeRefusalError } from '../chainCall.ts';
import { createRecheck } from './recheckPaid.ts';
import type { EvmTransaction, TransactionSender } from './transactionSender.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const transaction = (hash: EvmTransaction['hash']): EvmTransaction => ({ hash, raw: '0x', nonce: 0, fromBlock: 0n });
function start(call: ChainCall) {
  const closing = new AbortController();
  const recheck = createRecheck({
    network: 'eip155:8453',
    call,
    sender: {} as TransactionSender,
    everyMs: 5,
    logger: silent,
    signal: closing.signal,
  });
  return { recheck, close: () => closing.abort() };
}

test('behavior: many are looked for at once, and not more than sixteen', async () => {
  let underWay = 0;
  let most = 0;
  const asked = new Set<unknown>();
  const call: ChainCall = async (method, [hash], shape) => {
    if (method === 'eth_blockNumber') return shape.parse('0x64');
    asked.add(hash);
    most = Math.max(most, ++underWay);
    await sleep(1);
    underWay -= 1;
    throw new NodeRefusalError(-32000, 'pruned', undefined);
  };
  const { recheck, close } = start(call);
  for (let index = 0; index < 40; index += 1) recheck.add(transaction(`0x${index.toString(16)}`), 0n);
  await expect.poll(() => asked.size).toBe(40);
  close();
  expect(most).toBe(16);
});

test('behavior: a payment that no node tells of does not keep the others from being looked for', async () => {
  const paid = ['0x01', '0x02', '0x03'] as const;
  const asked = new Set<unknown>();
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_blockNumber') return shape.parse('0x64');
    asked.add(params[0]);
    throw new NodeRefusalError(-32000, 'pruned', undefined);
  };
  const { recheck, close } = start(call);
  for (const hash of paid) recheck.add(transaction(hash), 0n);
  await expect.poll(() => [...asked]).toEqual(paid);
  close();
});
