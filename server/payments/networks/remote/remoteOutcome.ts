import { setTimeout as sleep } from 'node:timers/promises';
import { endWith } from '../../../time/endWith.ts';
import { isChainError } from '../../chainCall.ts';
import { confirmUnpaid, isUseReason } from '../../confirmUnpaid.ts';
import type { SettleOutcome } from '../../facilitator.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import type { FacilitatorRequests, FacilitatorTask, Refused, SettleResult } from './facilitatorRequests.ts';

/** Delay before the chain is polled during a settle request, so that a hanging request does not hide a settlement. */
const pollAfterMs = 500;

/** Time for which the status is read before a refusal counts: our node may be behind the facilitator's. */
const confirmationMs = 2_000;

interface OutcomeDependencies<Payment> {
  verifier: PaymentVerifier<Payment>;
  requestSettle: FacilitatorRequests<Payment>['requestSettle'];
  polling: { network: string; logger: PaymentLogger; signal: AbortSignal };
}

/** Compares a remote facilitator's responses with the payment's status on chain. */
export function createOutcomeReader<Payment>({ verifier, requestSettle, polling }: OutcomeDependencies<Payment>) {
  const { network, logger, signal } = polling;

  /**
   * Compares a refusal of a payment for which nothing was requested with the chain: a third party's transaction may already
   * have paid. If our node accepts the payment, it may be behind the facilitator's, so the chain is read several times.
   */
  async function confirmFirstRefusal(payment: Payment, refusal: Refused): Promise<SettleOutcome> {
    try {
      const end = await confirmUnpaid(verifier, payment, refusal, undefined, () => true);
      if (end) return end;
      return isUseReason(refusal.reason) ? { kind: 'unknown' } : await confirmRefusal(refusal, payment, undefined);
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn(
        { network, cause: error.message },
        'The status of a refused payment cannot be read; its outcome is unknown',
      );
      return { kind: 'unknown' };
    }
  }

  /** Final status on chain; undefined while the payment is unused. */
  async function readFinalStatus(payment: Payment, since: bigint): Promise<SettleOutcome | undefined> {
    const status = await verifier.readStatus(payment, since);
    return status.kind === 'unused' ? undefined : status;
  }

  /** Sends the settle request and polls the chain; the first result wins. */
  async function requestAndWatch(task: FacilitatorTask<Payment>, since: bigint): Promise<SettleResult | SettleOutcome> {
    const watching = endWith(signal);
    const requested = requestSettle(task, watching.signal);
    const watched = (async () => {
      await sleep(pollAfterMs, undefined, { signal: watching.signal }).catch(() => undefined);
      const status = await pollUntilKnown(() => readFinalStatus(task.payment, since), {
        ...polling,
        signal: watching.signal,
      });
      return status ?? requested;
    })();
    try {
      return await Promise.race([requested, watched]);
    } finally {
      watching.end();
      // The loser of the race must not become an unhandled rejection.
      watched.catch(() => undefined);
    }
  }

  /**
   * Compares a refusal with the chain: a facilitator that received the request twice may refuse because of an empty
   * wallet after it has settled this payment.
   */
  async function confirmRefusal(
    refusal: SettleOutcome,
    payment: Payment,
    since: bigint | undefined,
  ): Promise<SettleOutcome> {
    const startedAt = performance.now();
    const status = await pollUntilKnown(async () => {
      const end = await confirmUnpaid(verifier, payment, refusal, since, () => false);
      return end === refusal && performance.now() - startedAt < confirmationMs ? undefined : end;
    }, polling);
    return status ?? { kind: 'unknown' };
  }

  return { confirmFirstRefusal, readFinalStatus, requestAndWatch, confirmRefusal };
}

export type OutcomeReader<Payment> = ReturnType<typeof createOutcomeReader<Payment>>;
