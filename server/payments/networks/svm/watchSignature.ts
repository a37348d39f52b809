import { setTimeout as sleep } from 'node:timers/promises';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaymentTimings } from '../../paymentConfig.ts';
import type { InclusionReader } from './readInclusion.ts';

/** The final status of a transaction. */
export type FinalStatus =
  | { kind: 'paid' }
  /** Included, and failed: only its fee was spent. */
  | { kind: 'failed' }
  /** Not included, and its blockhash has expired. */
  | { kind: 'expired' };

/** Interval between broadcasts: leaders drop transactions that do not fit into their block. */
const resendMs = 1_000;
/** First pause between polls, doubled up to the configured one. */
const firstPollMs = 20;
/** A transaction that is pending this long is polled less often. */
const slowPollAfterMs = 5_000;
const slowPollMs = 1_000;
/** Consecutive reads, a second apart, before a transaction counts as expired, because nodes differ in height. */
const readsUntilExpired = 3;

/**
 * Polls our transaction until its status is final, and broadcasts it again every second.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError} @throws {DOMException} AbortError when `signal` aborts
 */
export async function watchSignature(config: {
  inclusions: InclusionReader;
  transaction: JournaledTransaction;
  /** The caller has just broadcast it. */
  isSent: boolean;
  send: () => Promise<unknown>;
  timings: PaymentTimings;
  signal: AbortSignal;
}): Promise<FinalStatus> {
  const { inclusions, transaction, isSent, send, timings, signal } = config;
  const { receiptPollMs } = timings;

  let readsExpired = 0;
  let sinceResend = isSent ? 0 : resendMs;
  let pause = firstPollMs;
  for (let waited = 0; ; waited += pause) {
    const longest = waited < slowPollAfterMs ? receiptPollMs : Math.max(receiptPollMs, slowPollMs);
    pause = Math.min(pause * 2, longest);
    const seen = await inclusions.readInclusion(transaction);
    if (seen === 'paid' || seen === 'failed') return { kind: seen };
    if (!seen && sinceResend >= resendMs) {
      sinceResend = 0;
      readsExpired = (await inclusions.hasExpired(transaction)) ? readsExpired + 1 : 0;
      if (readsExpired >= readsUntilExpired) return { kind: 'expired' };
      await send();
    }
    await sleep(pause, undefined, { signal });
    sinceResend += pause;
  }
}
