import type { Admission } from './cashierTypes.ts';
import type { Desk } from './desk.ts';
import { type Flight, type Landing, type Settling, waitFor } from './flight.ts';
import { LedgerOrderError } from './ledger/ledgerOrderError.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import { refuseUnanswered, refuseUnansweredTrial, refuseUnknown } from './refusals.ts';

/** An answer that takes longer than this has been forgotten by whoever was to make it. */
const serveDeadlineMs = 120_000;

type Settled = Extract<Settling, { kind: 'settled' }>;

/** Opens the door for one run of the procedure and keeps what comes of it. */
function serve(desk: Desk, flight: Flight, facts: PaymentFacts, settled: Settled): Admission {
  const { ledger, flights, logger } = desk;
  const { key } = facts;
  const { paymentResponse, free } = settled;
  let ended = false;

  async function end<T extends Landing>(record: () => Promise<T>): Promise<T | undefined> {
    if (ended) return undefined;
    ended = true;
    clearTimeout(forgotten);
    try {
      const landing = await record();
      flight.land(landing);
      return landing;
    } finally {
      flights.delete(key);
      // Without effect when it has landed above.
      flight.land({ kind: 'failed' });
    }
  }
  const fail = async (reason: string): Promise<void> => {
    await end(async () => {
      await ledger.failed(key, reason.slice(0, 500));
      return { kind: 'failed' };
    });
  };
  const forgotten = setTimeout(() => {
    fail('No answer was made in time').catch((err) => logger.error({ payment: key, err }, 'A forgotten answer'));
  }, serveDeadlineMs).unref();

  return {
    kind: 'serve',
    ticket: Object.freeze({ paid: facts.paid, canonicalInput: facts.canonicalInput }),
    paymentResponse,
    ...(free && { free: true as const }),
    async complete(answer) {
      const landing = await end(async () => ({
        kind: 'answered' as const,
        answer: await ledger.answered(key, answer),
      }));
      if (!landing) throw new LedgerOrderError(`Payment ${key} was given up before its answer came.`);
      return landing.answer;
    },
    fail,
  };
}

/** Waits for a payment's settling, then serves it, or waits for the answer of the request that does. */
export async function board(desk: Desk, flight: Flight, facts: PaymentFacts): Promise<Admission> {
  const { settleDeadlineMs, joinDeadlineMs } = desk.timings;
  flight.waiting += 1;
  const settling = await waitFor(flight.settling, settleDeadlineMs);
  flight.waiting -= 1;
  if (settling === 'late') return refuseUnknown(facts.network);
  if (settling.kind === 'refuse') return settling.refusal;
  if (settling.kind === 'answered') return { ...settling, kind: 'replay' };
  if (!flight.served) {
    flight.served = true;
    return serve(desk, flight, facts, settling);
  }
  const landing = await waitFor(flight.landed, joinDeadlineMs);
  if (landing === 'late' || landing.kind === 'failed') {
    return settling.free ? refuseUnansweredTrial() : refuseUnanswered(settling.paymentResponse);
  }
  const { paymentResponse = settling.paymentResponse } = landing.answer;
  return { kind: 'replay', answer: landing.answer, paymentResponse };
}
