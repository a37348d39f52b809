import { type CashierConfig, type CashierTimings, defaultTimings } from './cashierConfig.ts';
import type { Admission, Cashier, PaidName, PaymentAttempt } from './cashierTypes.ts';
import { type DecodedPayment, decodePayment, MalformedPaymentError, parsePayload } from './decodePayment.ts';
import type { SignedAuthorization } from './evm/authorization.ts';
import { createEvmFacilitator } from './evm/evmFacilitator.ts';
import type { Facilitator } from './facilitator.ts';
import { type Flight, startFlight, waitFor } from './flight.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import { findRequirement, findTermsFault } from './matchOffer.ts';
import { type BuiltOffer, buildOffer, type Requirement } from './offer.ts';
import { paymentFingerprint, paymentKey } from './paymentKey.ts';
import {
  refuseMalformed,
  refuseReused,
  refuseUnanswered,
  refuseUnavailable,
  refuseUnfit,
  refuseUnknown,
} from './refusals.ts';
import { settlePayment } from './settlePayment.ts';

/** An answer that takes longer than this has been forgotten by whoever was to make it. */
const serveDeadlineMs = 120_000;

/**
 * The cashier: turns PAYMENT-SIGNATURE into an admission, with the money settled before the work.
 *
 * Takes up again, in the background, what an earlier process left unfinished.
 *
 * @throws {PaymentNetworkMismatchError} an RPC leads to another chain, or the asset is another token.
 */
export async function createCashier(config: CashierConfig): Promise<Cashier> {
  const { ledger, logger, now } = config;
  const timings: CashierTimings = { ...defaultTimings, ...config.timings };
  const offers = new Map<PaidName, BuiltOffer>(
    config.offers.map((offer) => [offer.paid, buildOffer(offer, config.networks, timings.maxTimeoutSeconds)]),
  );
  const facilitators = new Map<string, Facilitator<SignedAuthorization>>(
    config.networks.map((network) => [network.network, createEvmFacilitator(network, timings, logger)]),
  );
  const flights = new Map<string, Flight>();
  const desk = { ledger, logger, joinDeadlineMs: timings.joinDeadlineMs };

  function offerOf(paid: PaidName): BuiltOffer {
    const offer = offers.get(paid);
    if (!offer) throw new Error(`Nothing is offered under the name ${paid}.`);
    return offer;
  }

  function facilitatorOf(network: string): Facilitator<SignedAuthorization> {
    const facilitator = facilitators.get(network);
    if (!facilitator) throw new Error(`No facilitator for ${network}.`);
    return facilitator;
  }

  /** Everything that can be refused about a payment which is not yet known to have moved money. */
  async function examine(
    offer: BuiltOffer,
    requirement: Requirement,
    { authorization }: DecodedPayment,
  ): Promise<Admission | undefined> {
    const nowSeconds = Math.floor(now() / 1000);
    const fault = findTermsFault(requirement, authorization, nowSeconds, timings.expiryMarginSeconds);
    if (fault) return refuseUnfit(offer, fault.reason, fault.detail);
    const verdict = await facilitatorOf(requirement.network).checkSignature(authorization);
    if (verdict.kind === 'invalid') return refuseUnfit(offer, 'invalid_exact_evm_signature', verdict.detail);
    if (verdict.kind === 'unavailable') return refuseUnavailable(requirement.network);
    return undefined;
  }

  function takeOff(offer: BuiltOffer, facts: PaymentFacts, payment: SignedAuthorization): Flight {
    const flight = startFlight(facts.fingerprint, async () => {
      const settling = await settlePayment(desk, facilitatorOf(facts.network), offer, facts, payment);
      if (settling.kind !== 'settled') flights.delete(facts.key);
      else if (flight.waiting === 0) {
        // Every client has gone: the credit waits in the ledger.
        flights.delete(facts.key);
        await ledger
          .release(facts.key)
          .catch((error) => logger.error({ key: facts.key, error }, 'A claim stays taken'));
      }
      return settling;
    });
    flights.set(facts.key, flight);
    return flight;
  }

  function serve(flight: Flight, facts: PaymentFacts, paymentResponse: string): Admission {
    const { key } = facts;
    let ended = false;
    const end = async (landing: Parameters<Flight['land']>[0], record: () => Promise<void>): Promise<void> => {
      if (ended) return;
      ended = true;
      clearTimeout(forgotten);
      try {
        await record();
        flight.land(landing);
      } finally {
        flights.delete(key);
        flight.land({ kind: 'failed' });
      }
    };
    const fail = (reason: string): Promise<void> =>
      end({ kind: 'failed' }, () => ledger.failed(key, reason.slice(0, 500)));
    const forgotten = setTimeout(() => {
      fail('No answer was made in time').catch((error) => logger.error({ key, error }, 'A forgotten answer'));
    }, serveDeadlineMs).unref();
    return {
      kind: 'serve',
      ticket: Object.freeze({ paid: facts.paid, canonicalInput: facts.canonicalInput }),
      paymentResponse,
      complete: (answer) => end({ kind: 'answered', answer }, () => ledger.answered(key, answer)),
      fail,
    };
  }

  async function board(flight: Flight, facts: PaymentFacts): Promise<Admission> {
    flight.waiting += 1;
    const settling = await waitFor(flight.settling, timings.settleDeadlineMs);
    flight.waiting -= 1;
    if (settling === 'late') return refuseUnknown(facts.network);
    if (settling.kind === 'refuse') return settling.refusal;
    if (settling.kind === 'answered') return { ...settling, kind: 'replay' };
    if (!flight.served) {
      flight.served = true;
      return serve(flight, facts, settling.paymentResponse);
    }
    const landing = await waitFor(flight.landed, timings.joinDeadlineMs);
    if (landing === 'late' || landing.kind === 'failed') return refuseUnanswered(settling.paymentResponse);
    return { kind: 'replay', answer: landing.answer, paymentResponse: settling.paymentResponse };
  }

  async function admitPayment(attempt: PaymentAttempt, payment: DecodedPayment): Promise<Admission> {
    const offer = offerOf(attempt.paid);
    const requirement = findRequirement(offer.accepts, payment.accepted);
    if (!requirement) {
      const detail =
        'The accepted terms are none of those offered: choose one entry of accepts[] and send it unchanged.';
      return refuseUnfit(offer, 'No matching payment requirements', detail);
    }
    const key = paymentKey(payment);
    const fingerprint = paymentFingerprint(attempt, payment);
    const known = await ledger.load(key);
    if (known && known.fingerprint !== fingerprint) return refuseReused();
    if (known?.answer && known.paymentResponse) {
      return { kind: 'replay', answer: known.answer, paymentResponse: known.paymentResponse };
    }
    const mayHavePaid = known?.state === 'sent' || known?.state === 'settled';
    const refusal = mayHavePaid ? undefined : await examine(offer, requirement, payment);
    if (refusal) return refusal;

    const facts: PaymentFacts = {
      key,
      fingerprint,
      network: requirement.network,
      payer: payment.authorization.from,
      paid: attempt.paid,
      route: attempt.route,
      canonicalInput: attempt.canonicalInput,
      payload: payment.canonicalPayload,
    };
    const flying = flights.get(key);
    if (flying && flying.fingerprint !== fingerprint) return refuseReused();
    return board(flying ?? takeOff(offer, facts, payment.authorization), facts);
  }

  /** What an earlier process left: nothing signed is forgotten; what was signed is sent again and followed. */
  async function takeUp(rows: readonly PaymentRow[]): Promise<void> {
    const open: PaymentRow[] = [];
    for (const row of rows) {
      if (row.transactions.length === 0) await ledger.refused(row.key, 'never sent');
      else if (offers.has(row.paid) && facilitators.has(row.network)) open.push(row);
      else
        logger.error(
          { key: row.key, network: row.network },
          'An unfinished payment is on a network that is not configured',
        );
    }
    for (const [network, facilitator] of facilitators) {
      await facilitator.resend(open.filter((row) => row.network === network).flatMap((row) => row.transactions));
    }
    for (const row of open) {
      await ledger.release(row.key);
      const { authorization } = parsePayload(JSON.parse(row.payload));
      takeOff(offerOf(row.paid), row, authorization);
    }
    if (rows.length > 0) logger.info({ payments: rows.length, followed: open.length }, 'Took up unfinished payments');
  }

  await Promise.all([...facilitators.values()].map((facilitator) => facilitator.start()));
  await takeUp(await ledger.takeOverUnfinished());

  return {
    challenge: (paid) => {
      const { header, summary } = offerOf(paid);
      return { header, summary };
    },
    async admit(attempt) {
      let payment: DecodedPayment;
      try {
        payment = decodePayment(attempt.paymentHeader);
      } catch (error) {
        if (error instanceof MalformedPaymentError) return refuseMalformed(error.message);
        throw error;
      }
      return admitPayment(attempt, payment);
    },
    async close() {
      const settlings = [...flights.values()].map(({ settling }) => settling);
      await waitFor(Promise.all(settlings), timings.closeGraceMs);
      for (const facilitator of facilitators.values()) facilitator.close();
      await Promise.all(settlings);
    },
  };
}
