import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { CashierTimings } from '../cashierConfig.ts';
import type { Chain } from '../chainCall.ts';
import type { JournaledTransaction } from '../ledger/ledgerTypes.ts';
import { natural, signatureStatus } from './nodeAnswers.ts';

export type Sighting =
  | { kind: 'paid' }
  /** In a block, and it did nothing but cost its fee. */
  | { kind: 'failed' }
  /** Never taken into a block, and too old by now to be. */
  | { kind: 'expired' };

/** A blockhash can be used for so many blocks. */
const blockhashLifetime = 150n;
/** The node that was asked for the height when we signed may have been behind the one that made the blockhash. */
const lagMargin = 64n;
/** Between two broadcasts: leaders drop what they have no room for, and nobody else keeps it. */
const resendMs = 1_000;
/** Doubled up to the configured pause. */
const firstPollMs = 20;
/** Who has waited so long waits for more than the next slots: from then on it is asked for less often. */
const patientAfterMs = 5_000;
const patientPollMs = 1_000;
/** How often in a row it must be found nowhere after its time, before that is believed: nodes differ in height. */
const goneSightings = 3;

type Status = z.output<typeof signatureStatus>['value'][0];

const hasLanded = (status: Status): boolean =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';

/**
 * Looks for our transaction until it can be told what became of it, and sends it again meanwhile.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} @throws AbortError when `signal` fires.
 */
export async function watchSignature(config: {
  chain: Pick<Chain, 'call' | 'callProven'>;
  transaction: JournaledTransaction;
  send: () => Promise<unknown>;
  timings: CashierTimings;
  signal: AbortSignal;
}): Promise<Sighting> {
  const { chain, transaction, send, timings, signal } = config;
  const { call, callProven } = chain;
  const { receiptPollMs } = timings;
  const lastBlock = transaction.fromBlock + blockhashLifetime + lagMargin;

  const question = [[transaction.hash], { searchTransactionHistory: true }];

  /** A status does not say whose it is: before it is believed, the node proves itself and says it again. */
  async function readStatus() {
    const first = await call('getSignatureStatuses', question, signatureStatus);
    if (!hasLanded(first.value[0])) return first.value[0];
    const again = await callProven('getSignatureStatuses', question, signatureStatus);
    return again.value[0];
  }

  let gone = 0;
  let sinceResend = resendMs;
  let pause = firstPollMs;
  for (let waited = 0; ; waited += pause) {
    const longest = waited < patientAfterMs ? receiptPollMs : Math.max(receiptPollMs, patientPollMs);
    pause = Math.min(pause * 2, longest);
    const status = await readStatus();
    if (hasLanded(status)) return { kind: status?.err === null ? 'paid' : 'failed' };
    if (!status && sinceResend >= resendMs) {
      sinceResend = 0;
      const height = BigInt(await callProven('getBlockHeight', [{ commitment: 'finalized' }], natural));
      gone = height > lastBlock ? gone + 1 : 0;
      if (gone >= goneSightings) return { kind: 'expired' };
      await send();
    }
    await sleep(pause, undefined, { signal });
    sinceResend += pause;
  }
}
