import { setTimeout as sleep } from 'node:timers/promises';
import type { AcceptedTerms } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import { findShortage } from './findShortage.ts';
import type { Settling } from './flight.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import { toReasonLabel } from './paymentEvents.ts';
import type { RailPayment } from './rail.ts';
import {
  refuseAnswered,
  refuseBeside,
  refuseLimited,
  refuseNamesake,
  refusePaused,
  refuseReused,
  refuseUnknown,
  refuseUnsent,
  refuseUnsettled,
  settledResponse,
} from './refusals.ts';
import { takeTrial } from './takeTrial.ts';
import { walletOf } from './walletOf.ts';

/** Between two looks at a payment that another replica works on. */
const followPauseMs = 250;

/** @param seen the row before it was found good to try: in somebody's hands then, it may have been refused since. */
async function claimOrFollow(
  desk: Desk,
  facts: PaymentFacts,
  seen: PaymentRow | undefined,
): Promise<{ row: PaymentRow; isFirst: boolean } | Settling> {
  const { ledger } = desk;
  const wasInHand = seen?.state === 'claimed' || seen?.state === 'sent';
  for (let waited = 0; waited <= desk.timings.joinDeadlineMs; waited += followPauseMs) {
    const { won, isFirst, row } = await ledger.claim(facts);
    if (row.fingerprint !== facts.fingerprint) return { kind: 'refuse', refusal: refuseReused() };
    if (row.answer && row.paymentResponse) {
      return { kind: 'answered', answer: row.answer, paymentResponse: row.paymentResponse };
    }
    if (row.state === 'answered')
      return { kind: 'refuse', refusal: refuseAnswered({ isFree: row.trialGroup !== undefined }) };
    // Who had it in hand has told somebody that nothing was charged.
    if (won && (wasInHand || waited > 0) && (isFirst || row.state === 'refused')) {
      await (isFirst ? ledger.forget(facts.key) : ledger.release(facts.key));
      return { kind: 'refuse', refusal: refuseBeside() };
    }
    if (won) return { row, isFirst };
    await sleep(followPauseMs);
  }
  return { kind: 'refuse', refusal: refuseUnknown(facts.network) };
}

/** A wallet that signs anew under the name of a payment that may have moved money is kept from paying twice. */
async function hasItsName({ ledger }: Desk, { key, network, payer, identifier }: PaymentFacts, { state }: PaymentRow) {
  if (identifier === undefined || (state !== 'claimed' && state !== 'refused')) return true;
  return ledger.claimIdentifier({ key, wallet: walletOf({ network, payer }), identifier });
}

/** From a claimed row to a verdict that the ledger holds. */
async function settleRow(
  desk: Desk,
  offer: BuiltOffer,
  row: PaymentRow,
  payment: RailPayment,
  terms: AcceptedTerms,
  client: string | undefined,
): Promise<Settling> {
  const { ledger } = desk;
  const { key, network, payer } = row;
  // Paid before, not answered: the credit is served.
  if (row.paymentResponse) {
    return { kind: 'settled', paymentResponse: row.paymentResponse, free: row.trialGroup !== undefined };
  }
  const trial = await takeTrial(desk, offer, row, payment, client);
  if (trial) return trial;

  const wallet = walletOf({ network, payer });
  const amount = BigInt(terms.amount);
  // A sent payment that was not refused keeps its reservation, and its transaction must be followed.
  const isNew = row.transactions.length === 0 || row.state === 'refused';
  const claim = isNew ? await ledger.reserve({ key, wallet, network, amount }) : undefined;
  if (claim?.kind === 'paused') {
    // A used authorization costs no gas, and may have paid us in another transaction: settling finds that out.
    const verdict = await payment.verify();
    if (verdict.kind === 'unavailable') {
      await ledger.refused(key, 'unavailable');
      return { kind: 'refuse', refusal: refuseUnsent(network) };
    }
    if (verdict.kind === 'refused' && verdict.mayHavePaid) {
      await ledger.refused(key, verdict.reason);
      return { kind: 'refuse', refusal: refuseUnsettled(offer, { ...verdict, network, payer }) };
    }
    if (verdict.kind !== 'used') {
      await ledger.refused(key, 'paused');
      return { kind: 'refuse', refusal: refusePaused(payer, Math.ceil(claim.forMs / 1000)) };
    }
  }
  const { before, failures } = claim?.kind === 'reserved' ? claim : { before: [], failures: 0 };
  const outcome = await payment.settle({
    key,
    terms,
    sent: row.transactions,
    wasRefused: row.state === 'refused',
    hasOthersOpen: before.length > 0,
    checkFunds: () => findShortage(ledger, payment, { network, amount, before }),
    journal: (transaction) => ledger.journal(key, transaction),
  });
  if (outcome.kind !== 'settled') {
    const reason = outcome.kind === 'refused' ? outcome.reason : outcome.kind;
    desk.onEvent({ kind: 'payment refused', network, reason: toReasonLabel(reason) });
  }
  switch (outcome.kind) {
    case 'settled': {
      const paymentResponse = settledResponse(network, outcome.transaction, payer);
      await ledger.settled(key, paymentResponse);
      if (failures > 0) await ledger.forgivePayer(wallet);
      desk.logger.info({ network, payer, transaction: outcome.transaction, paid: row.paid }, 'Payment settled');
      return { kind: 'settled', paymentResponse, free: false };
    }
    case 'refused': {
      // Pause before the claim ends, so that the payer cannot start another payment in between.
      const pauseMs = outcome.failedOnChain ? await ledger.pausePayer(wallet) : undefined;
      if (pauseMs !== undefined) {
        desk.logger.warn({ network, payer, pauseMs }, 'A settlement failed on chain; its payer is paused');
      }
      await ledger.refused(key, outcome.reason);
      const paused = pauseMs === undefined ? '' : ` The wallet is paused for ${pauseMs / 1000} s.`;
      const detail = `${outcome.detail}${paused}`;
      return { kind: 'refuse', refusal: refuseUnsettled(offer, { ...outcome, detail, network, payer }) };
    }
    case 'unavailable':
      await ledger.refused(key, 'unavailable');
      return { kind: 'refuse', refusal: refuseUnsent(network, outcome.detail) };
    case 'limited':
      await ledger.refused(key, 'limited');
      return { kind: 'refuse', refusal: refuseLimited(outcome) };
    case 'unknown':
      await ledger.release(key);
      return { kind: 'refuse', refusal: refuseUnknown(network) };
  }
}

/**
 * Claims and settles one payment. Resolves with a verdict and never rejects: what went wrong on our
 * side is logged, and told as 503 according to whether anything can have been charged.
 *
 * @param seen what the ledger said of it when this try of it came in
 */
export async function settlePayment(
  desk: Desk,
  offer: BuiltOffer,
  facts: PaymentFacts,
  payment: RailPayment,
  terms: AcceptedTerms,
  seen?: PaymentRow,
): Promise<Settling> {
  try {
    const claimed = await claimOrFollow(desk, facts, seen);
    if (!('row' in claimed)) return claimed;
    const { row, isFirst } = claimed;
    if (!(await hasItsName(desk, facts, row))) {
      // No node has seen it, so it may be sent again under another identifier.
      await (isFirst ? desk.ledger.forget(facts.key) : desk.ledger.refused(facts.key, 'identifier in use'));
      return { kind: 'refuse', refusal: refuseNamesake() };
    }
    return await settleRow(desk, offer, row, payment, terms, facts.client);
  } catch (err) {
    desk.logger.error({ payment: facts.key, err }, 'Settling failed on our side');
    return { kind: 'refuse', refusal: await refuseAfterFault(desk, facts) };
  }
}

async function refuseAfterFault({ ledger, logger }: Desk, { key, network }: PaymentFacts) {
  try {
    const row = await ledger.load(key);
    // Somebody else saw the money move and said so first: the credit is for whoever is asked next.
    if (row?.state === 'settled') await ledger.release(key);
    // What this try sends makes it `sent` first: one that was refused before, and still is, has sent nothing more.
    if (row && row.state !== 'claimed' && row.state !== 'refused') return refuseUnknown(network);
    if (row) await ledger.refused(key, 'fault');
    return refuseUnsent(network);
  } catch (err) {
    // The ledger itself is broken: what it held cannot be told now.
    logger.error({ payment: key, err }, 'The payment ledger does not answer');
    return refuseUnknown(network);
  }
}
