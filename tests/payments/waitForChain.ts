import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

/** Longer than any wait for a block takes on a busy machine; a test that waits longer fails with a reason. */
const patienceMs = 20_000;

/** Resolves when the transaction is in a block. viem would poll only on a new block, and the last one may be mined. */
export async function mined(client: PublicClient, hash: Hex): Promise<void> {
  const { status } = await receiptOf(client, hash);
  if (status !== 'success') throw new Error(`The test's own transaction ${hash} failed.`);
}

/** @throws when it is not included in time: behind a nonce gap it never is */
async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    });
    if (receipt) return receipt;
    if (performance.now() > until) throw new Error(await describeMissing(client, hash));
    await sleep(20);
  }
}

async function describeMissing(client: PublicClient, hash: Hex): Promise<string> {
  const { from, nonce } = await client.getTransaction({ hash });
  const next = await client.getTransactionCount({ address: from });
  return `Transaction ${hash} is in no block after ${patienceMs} ms: its nonce is ${nonce}, and ${next} is the next one of ${from}.`;
}

/** Resolves when `count` transactions are pending. */
export async function untilPending(client: PublicClient, count: number): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const status = await client.request<{ Method: 'txpool_status'; Parameters: []; ReturnType: { pending: Hex } }>({
      method: 'txpool_status',
      params: [],
    });
    if (Number(status.pending) >= count) return;
    if (performance.now() > until) throw new Error(`${Number(status.pending)} of ${count} transactions are pending.`);
    await sleep(20);
  }
}
