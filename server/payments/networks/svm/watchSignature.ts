import { setTimeout as sleep } from 'node:timers/promises';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaymentTimings } from '../../paymentConfig.ts';
import type { InclusionReader } from './readInclusion.ts';

export type Sighting =
  | { kind: 'paid' }
  /** Included, and failed: only its fee was spent. */
  | { kind: 'failed' }
  /** Not included, and too old to be included later. */
  | { kind: 'expired' };

/** Interval between broadcasts: leaders drop transactions that do not fit into their block. */
const resendMs = 1_000;
/** Doubled up to the configured pause. */
const firstPollMs = 20;
/** After this the status is polled less often. */
const patientAfterMs = 5_000;
const patientPollMs = 1_000;
/** Consecutive polls without the expired transaction before it counts as expired: nodes differ in height. */
const goneSightings = 3;

/**
 * Polls our transaction until its outcome is known, and broadcasts it again meanwhile.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError} @throws AbortError when `signal` fires.
 */
export async function watchSignature(config: {
  inclusions: InclusionReader;
  transaction: JournaledTransaction;
  /** The caller has just broadcast it. */
  isSent: boolean;
  send: () => Promise<unknown>;
  timings: PaymentTimings;
  signal: AbortSignal;
}): Promise<Sighting> {
  const { inclusions, transaction, isSent, send, timings, signal } = config;
  const { receiptPollMs } = timings;

  let gone = 0;
  let sinceResend = isSent ? 0 : resendMs;
  let pause = firstPollMs;
  for (let waited = 0; ; waited += pause) {
    const longest = waited < patientAfterMs ? receiptPollMs : Math.max(receiptPollMs, patientPollMs);
    pause = Math.min(pause * 2, longest);
    const seen = await inclusions.readInclusion(transaction);
    if (seen === 'paid' || seen === 'failed') return { kind: seen };
    if (!seen && sinceResend >= resendMs) {
      sinceResend = 0;
      gone = (await inclusions.isTooOld(transaction)) ? gone + 1 : 0;
      if (gone >= goneSightings) return { kind: 'expired' };
      await send();
    }
    await sleep(pause, undefined, { signal });
    sinceResend += pause;
  }
}
