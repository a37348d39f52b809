import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../../chainCall.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaymentTimings } from '../../paymentConfig.ts';
import { isTooOld, readLanding } from './readLanding.ts';

export type Sighting =
  | { kind: 'paid' }
  /** In a block, and it did nothing but cost its fee. */
  | { kind: 'failed' }
  /** Never taken into a block, and too old by now to be. */
  | { kind: 'expired' };

/** Between two broadcasts: leaders drop transactions for which they have no room. */
const resendMs = 1_000;
/** Doubled up to the configured pause. */
const firstPollMs = 20;
/** After this the status is polled less often. */
const patientAfterMs = 5_000;
const patientPollMs = 1_000;
/** How often in a row it must be found nowhere after its time, before that is believed: nodes differ in height. */
const goneSightings = 3;

/**
 * Polls our transaction until its outcome is known, and broadcasts it again meanwhile.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} @throws AbortError when `signal` fires.
 */
export async function watchSignature(config: {
  chain: Pick<Chain, 'call' | 'callProven'>;
  transaction: JournaledTransaction;
  send: () => Promise<unknown>;
  timings: PaymentTimings;
  signal: AbortSignal;
}): Promise<Sighting> {
  const { chain, transaction, send, timings, signal } = config;
  const { receiptPollMs } = timings;

  let gone = 0;
  let sinceResend = resendMs;
  let pause = firstPollMs;
  for (let waited = 0; ; waited += pause) {
    const longest = waited < patientAfterMs ? receiptPollMs : Math.max(receiptPollMs, patientPollMs);
    pause = Math.min(pause * 2, longest);
    const seen = await readLanding(chain, transaction);
    if (seen === 'paid' || seen === 'failed') return { kind: seen };
    if (!seen && sinceResend >= resendMs) {
      sinceResend = 0;
      gone = (await isTooOld(chain, transaction)) ? gone + 1 : 0;
      if (gone >= goneSightings) return { kind: 'expired' };
      await send();
    }
    await sleep(pause, undefined, { signal });
    sinceResend += pause;
  }
}
