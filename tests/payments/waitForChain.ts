import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

/** Timeout of a wait for the chain: longer than a block takes on a busy machine, shorter than the test's timeout. */
const timeoutMs = 20_000;

/** Resolves when the transaction has succeeded. */
export async function mined(client: PublicClient, hash: Hex): Promise<void> {
  const { status } = await receiptOf(client, hash);
  if (status !== 'success') throw new Error(`The test's own transaction ${hash} failed.`);
}

/**
 * The receipt of a transaction. viem's `waitForTransactionReceipt` polls only when a block is mined, so it could hang
 * after the last block.
 *
 * @throws if no block includes the transaction in time, for example because of a nonce gap
 */
export async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    });
    if (receipt) return receipt;
    if (performance.now() > deadline) throw new Error(await describeMissing(client, hash));
    await sleep(20);
  }
}

/**
 * Mines a block every 100 ms, each a second later than the last, so that rechecks after seconds take less time. Returns
 * the function that ends it. The chain's clock stays ahead, and rechecks at the last age need more than a minute. After
 * two such tests on one chain, new payments may be expired on it.
 */
export function passTime({ rpc }: { rpc(method: string, params: unknown[]): Promise<unknown> }): () => void {
  const mining = setInterval(() => void rpc('anvil_mine', ['0x1', '0x1']), 100);
  return () => clearInterval(mining);
}

async function describeMissing(client: PublicClient, hash: Hex): Promise<string> {
  const { from, nonce } = await client.getTransaction({ hash });
  const next = await client.getTransactionCount({ address: from });
  return `No block includes transaction ${hash} after ${timeoutMs} ms: its nonce is ${nonce}, the next nonce of ${from} is ${next}.`;
}

/** Resolves when `count` transactions are pending. */
export async function untilPending(client: PublicClient, count: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const status = await client.request<{ Method: 'txpool_status'; Parameters: []; ReturnType: { pending: Hex } }>({
      method: 'txpool_status',
      params: [],
    });
    if (Number(status.pending) >= count) return;
    if (performance.now() > deadline)
      throw new Error(`${Number(status.pending)} of ${count} transactions are pending.`);
    await sleep(20);
  }
}
