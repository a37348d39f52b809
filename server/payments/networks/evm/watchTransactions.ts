import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import type { CashierTimings } from '../../cashierConfig.ts';
import type { ChainCall } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { count } from './nodeAnswers.ts';
import { feeOf, paidInReceipt } from './paidInReceipt.ts';
import { readReceipt } from './readReceipt.ts';
import type { EvmTransaction, TransactionSender } from './transactionSender.ts';

export type Sighting =
  | { kind: 'paid'; transaction: Hex; block: Hex }
  /** The newest transaction is on chain, in that block, and did not pay. */
  | { kind: 'reverted'; block: Hex; fee: bigint | undefined }
  /** The account's nonce went to another transaction: these bytes can no longer be mined. */
  | { kind: 'replaced' }
  /** Still waiting, longer than a fair price should. */
  | { kind: 'stuck' };

/** Doubled up to the configured pause: chains of fast blocks are heard soon, slow ones are not pestered. */
const firstPollMs = 10;
/** Who has waited so long waits for more than the next block: from then on it is asked for less often. */
const patientAfterMs = 5_000;
const patientPollMs = 1_000;
/** Between two broadcasts of the same bytes: fills the gap that a lost request has left. */
const resendMs = 1_000;
/**
 * How often in a row the nonce must be seen as gone, without a receipt, before that is believed: behind one
 * URL there may be nodes of different height, and the one asked for receipts may be the slower.
 */
const goneSightings = 3;

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
  sent: readonly EvmTransaction[];
  timings: CashierTimings;
  signal: AbortSignal;
}): Promise<Sighting> {
  const { call, sender, account, payment, asset, sent, timings, signal } = config;
  const { receiptPollMs } = timings;
  const newest = sent.at(-1);
  if (!newest) throw new Error('There is no transaction to watch.');

  async function look(): Promise<Sighting | undefined> {
    const receipts = await Promise.all(sent.map(({ hash }) => readReceipt(call, hash)));
    const paid = receipts.find((receipt) => receipt && paidInReceipt(receipt, asset, payment));
    if (paid) return { kind: 'paid', transaction: paid.transactionHash, block: paid.blockNumber };
    // An older one without receipt had its nonce taken; only the newest can still be on its way.
    const last = receipts.at(-1);
    return last ? { kind: 'reverted', block: last.blockNumber, fee: feeOf(last) } : undefined;
  }

  let gone = 0;
  let sinceResend = 0;
  let pause = firstPollMs;
  for (let waited = 0; waited < timings.bumpAfterMs; waited += pause) {
    const sighting = await look();
    if (sighting) return sighting;
    if (sinceResend >= resendMs) {
      sinceResend = 0;
      const used = await call('eth_getTransactionCount', [account, 'latest'], count);
      gone = used > newest.nonce ? gone + 1 : 0;
      if (gone >= goneSightings) return { kind: 'replaced' };
      if (gone === 0) await sender.resend(newest);
    }
    const longest = waited < patientAfterMs ? receiptPollMs : Math.max(receiptPollMs, patientPollMs);
    pause = Math.min(pause * 2, longest);
    await sleep(pause, undefined, { signal });
    sinceResend += pause;
  }
  return { kind: 'stuck' };
}
