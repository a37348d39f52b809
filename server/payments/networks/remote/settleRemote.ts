import { isChainError } from '../../chainCall.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import type { FacilitatorRequests } from './facilitatorRequests.ts';
import type { OutcomeReader } from './remoteOutcome.ts';

/**
 * Whether a reason is from a check before the broadcast. With any other reason a transaction may be pending, or, with
 * `already_used`, included.
 */
const isBeforeSending = (reason: string): boolean =>
  /^invalid_|^insufficient_funds$/.test(reason) && !/already_used|transaction_failed|transaction_state/.test(reason);

/** Requests the settlement of one payment, and awaits its outcome. */
export function createRemoteSettlement<Payment>({
  verifier,
  requestVerify,
  outcomes: { confirmFirstRefusal, readFinalStatus, requestAndWatch, confirmRefusal },
  polling,
}: {
  verifier: PaymentVerifier<Payment>;
  requestVerify: FacilitatorRequests<Payment>['requestVerify'];
  outcomes: OutcomeReader<Payment>;
  polling: { network: string; logger: PaymentLogger; signal: AbortSignal };
}): (task: SettleTask<Payment>) => Promise<SettleOutcome> {
  const { network, logger } = polling;

  async function findShortage({ checkFunds }: SettleTask<Payment>) {
    try {
      return await checkFunds();
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, "The payer's balance could not be read");
      return { kind: 'unavailable' as const };
    }
  }

  /** Verifies the payment and sends the first settle request. Returns `since` if only the chain can show the outcome. */
  async function settleFirst(task: SettleTask<Payment>): Promise<SettleOutcome | { since: bigint }> {
    const [verified, shortage] = await Promise.all([requestVerify(task), findShortage(task)]);
    const [earlier] = task.sent;
    const refusal = verified.kind === 'refused' ? verified : shortage;
    if (refusal?.kind === 'refused' && verified.kind !== 'unavailable') {
      return earlier
        ? confirmRefusal(refusal, task.payment, earlier.fromBlock)
        : confirmFirstRefusal(task.payment, refusal);
    }
    if (verified.kind !== 'valid') return verified;
    if (shortage) return shortage;
    let since: bigint;
    try {
      await verifier.check();
      const position = await verifier.readPosition();
      // The transaction of an earlier, refused attempt may have been included since then.
      since = earlier?.fromBlock ?? position;
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
    await task.journal({ hash: '', raw: '', nonce: 0, fromBlock: since });
    const result = await requestAndWatch(task, since);
    if (result.kind === 'neverArrived') return { kind: 'unavailable' };
    if (result.kind === 'unknown' || (result.kind === 'refused' && !isBeforeSending(result.reason))) return { since };
    return result.kind === 'refused' ? confirmRefusal(result, task.payment, since) : result;
  }

  return async (task) => {
    const [earlier] = task.wasRefused ? [] : task.sent;
    const first = earlier ? { since: earlier.fromBlock } : await settleFirst(task);
    if ('kind' in first) return first;
    const { since } = first;
    let reads = 0;
    let nextRequestAt = 1;
    const outcome = await pollUntilKnown<SettleOutcome>(async () => {
      const end = await readFinalStatus(task.payment, since);
      if (end) return end;
      reads += 1;
      if (reads < nextRequestAt) return undefined;
      // Repeats the request after 1, 2, 4 … polls, because each one may cost the facilitator the gas of a failure.
      nextRequestAt = reads * 2;
      const result = await requestAndWatch(task, since);
      // An earlier request has an unknown result, so a refusal is final only on chain.
      return result.kind === 'settled' ? result : undefined;
    }, polling);
    return outcome ?? { kind: 'unknown' };
  };
}
