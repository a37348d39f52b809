import { waitFor } from '../time/waitFor.ts';
import { LedgerOrderError } from './ledger/ledgerOrderError.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { PaymentDecision } from './paymentTypes.ts';
import { refuseUnanswered, refuseUnansweredTrial, refuseUnknown } from './refusals.ts';
import type { ServeOutcome, Settlement, SettlementResult } from './settlement.ts';

/** A handler that has no answer after this time counts as failed. */
const serveDeadlineMs = 120_000;

type Settled = Extract<SettlementResult, { kind: 'settled' }>;

/** Decision to run the procedure once: contains its ticket, and records its answer or failure. */
function serve(
  context: PaymentContext,
  settlement: Settlement,
  facts: PaymentFacts,
  settled: Settled,
): PaymentDecision {
  const { ledger, settlements, logger } = context;
  const { key } = facts;
  const { paymentResponse, free } = settled;
  let ended = false;

  async function end<T extends ServeOutcome>(record: () => Promise<T>): Promise<T | undefined> {
    if (ended) return undefined;
    ended = true;
    clearTimeout(timeout);
    try {
      const outcome = await record();
      settlement.endServing(outcome);
      return outcome;
    } finally {
      settlements.delete(key);
      // Only has an effect if `record` failed: the first call ends the serving.
      settlement.endServing({ kind: 'failed' });
    }
  }
  const fail = async (reason: string): Promise<void> => {
    await end(async () => {
      await ledger.failed(key, reason.slice(0, 500));
      return { kind: 'failed' };
    });
  };
  const timeout = setTimeout(() => {
    fail('The handler timed out').catch((err) =>
      logger.error({ payment: key, err }, 'The timeout of a handler could not be recorded'),
    );
  }, serveDeadlineMs).unref();

  return {
    kind: 'serve',
    ticket: Object.freeze({
      paid: facts.paid,
      canonicalInput: facts.canonicalInput,
      ...(free && { free: true as const }),
    }),
    paymentResponse,
    ...(free && { free: true as const }),
    async complete(answer) {
      const outcome = await end(async () => ({
        kind: 'answered' as const,
        answer: await ledger.answered(key, answer),
      }));
      if (!outcome) throw new LedgerOrderError(`Payment ${key} timed out before its answer was complete.`);
      return outcome.answer;
    },
    fail,
  };
}

/**
 * Waits for a settlement. The first request with the payment then serves it; the others wait for that request's answer.
 */
export async function awaitSettlement(
  context: PaymentContext,
  settlement: Settlement,
  facts: PaymentFacts,
): Promise<PaymentDecision> {
  const { settleDeadlineMs, joinDeadlineMs } = context.timings;
  settlement.waiting += 1;
  const result = await waitFor(settlement.result, settleDeadlineMs);
  settlement.waiting -= 1;
  if (result === 'late') return refuseUnknown(facts.network);
  if (result.kind === 'refuse') return result.refusal;
  if (result.kind === 'answered') return { ...result, kind: 'replay' };
  if (!settlement.isServing) {
    settlement.isServing = true;
    return serve(context, settlement, facts, result);
  }
  const outcome = await waitFor(settlement.served, joinDeadlineMs);
  if (outcome === 'late' || outcome.kind === 'failed') {
    return result.free ? refuseUnansweredTrial() : refuseUnanswered(result.paymentResponse);
  }
  const { paymentResponse = result.paymentResponse } = outcome.answer;
  return { kind: 'replay', answer: outcome.answer, paymentResponse };
}
