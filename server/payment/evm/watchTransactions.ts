import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import type { CashierTimings } from '../cashierConfig.ts';
import type { JournaledTransaction } from '../ledger/ledgerTypes.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { ChainCall } from './chainClient.ts';
import { paidInReceipt, type TransactionReceipt } from './paidInReceipt.ts';
import type { TransactionSender } from './transactionSender.ts';

export type Sighting =
  | { kind: 'paid'; transaction: Hex }
  /** Every transaction is on chain, and none of them paid. */
  | { kind: 'reverted' }
  /** The account's nonce went to another transaction: these bytes can no longer be mined. */
  | { kind: 'replaced' };

/** Between two broadcasts of the same bytes: fills the gap that a lost request has left. */
const resendMs = 1_000;

/**
 * Looks for receipts until there is something to say about the transactions of one payment.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} @throws AbortError when `signal` fires.
 */
export async function watchTransactions(config: {
  call: ChainCall;
  sender: TransactionSender;
  account: Address;
  payment: SignedAuthorization;
  asset: Address;
  sent: readonly JournaledTransaction[];
  timings: CashierTimings;
  signal: AbortSignal;
}): Promise<Sighting> {
  const { call, sender, account, payment, asset, sent, timings, signal } = config;
  const newest = sent.at(-1);
  if (!newest) throw new Error('There is no transaction to watch.');

  async function look(): Promise<Sighting | undefined> {
    const receipts = await Promise.all(
      sent.map(({ hash }) => call<TransactionReceipt | null>('eth_getTransactionReceipt', [hash])),
    );
    const paid = receipts.find((receipt) => receipt && paidInReceipt(receipt, asset, payment));
    if (paid) return { kind: 'paid', transaction: paid.transactionHash };
    // An older one without receipt had its nonce taken; only the newest can still be on its way.
    return receipts.at(-1) ? { kind: 'reverted' } : undefined;
  }

  for (let waited = 0; ; waited += timings.receiptPollMs) {
    const sighting = await look();
    if (sighting) return sighting;
    if (waited >= resendMs) {
      waited = 0;
      const used = Number(await call<Hex>('eth_getTransactionCount', [account, 'latest']));
      // The count may be newer than the receipts above, so they are read once more before it is believed.
      if (used > newest.nonce) return (await look()) ?? { kind: 'replaced' };
      await sender.resend(newest);
    }
    await sleep(timings.receiptPollMs, undefined, { signal });
  }
}
