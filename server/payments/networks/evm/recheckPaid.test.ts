import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ChainCall, NodeRefusalError } from '../../chainCall.ts';
import type { PaidOnChain } from '../../recheck.ts';
import { createRecheck } from './recheckPaid.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const paid = (hash: `0x${string}`): PaidOnChain => ({ hash, block: 0n, sendAgain: async () => hash });
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
  for (let index = 0; index < 40; index += 1) recheck.add(paid(`0x${index.toString(16)}`));
  await expect.poll(() => asked.size).toBe(40);
  close();
  expect(most).toBe(16);
});

test('behavior: a payment that no node tells of does not keep the others from being looked for', async () => {
  const hashes = ['0x01', '0x02', '0x03'] as const;
  const asked = new Set<unknown>();
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_blockNumber') return shape.parse('0x64');
    asked.add(params[0]);
    throw new NodeRefusalError(-32000, 'pruned', undefined);
  };
  const { recheck, close } = start(call);
  for (const hash of hashes) recheck.add(paid(hash));
  await expect.poll(() => [...asked]).toEqual(hashes);
  close();
});
