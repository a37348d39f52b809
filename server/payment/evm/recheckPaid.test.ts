import { expect, test } from 'vitest';
import { type ChainCall, NodeRefusalError } from '../chainCall.ts';
import { createRecheck } from './recheckPaid.ts';
import type { EvmTransaction, TransactionSender } from './transactionSender.ts';

test('behavior: a payment that no node tells of does not keep the others from being looked for', async () => {
  const paid = ['0x01', '0x02', '0x03'] as const;
  const asked = new Set<unknown>();
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_blockNumber') return shape.parse('0x64');
    asked.add(params[0]);
    throw new NodeRefusalError(-32000, 'pruned', undefined);
  };
  const closing = new AbortController();
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const recheck = createRecheck({
    network: 'eip155:8453',
    call,
    sender: {} as TransactionSender,
    everyMs: 5,
    logger: silent,
    signal: closing.signal,
  });
  for (const hash of paid) recheck.add({ hash, raw: '0x', nonce: 0, fromBlock: 0n } satisfies EvmTransaction, 0n);
  await expect.poll(() => [...asked]).toEqual(paid);
  closing.abort();
});
