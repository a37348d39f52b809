import { setTimeout as sleep } from 'node:timers/promises';
import { attributeFailure } from './attributeFailure.ts';
import { type ChargeState, chargeStateOf, identifierState, unsentState } from './chargeState.ts';
import type { AcceptedTerms } from './decodePayment.ts';
import type { SettleOutcome } from './facilitator.ts';
import { findShortage } from './findShortage.ts';
import type { GasSpent } from './ledger/gasSpent.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import { toReasonLabel } from './paymentEvents.ts';
import type { NetworkPayment } from './paymentNetwork.ts';
import {
  concurrencyLimit,
  refuseAnswered,
  refuseConcurrent,
  refuseIdentifierInUse,
  refuseLimited,
  refuseReused,
  refuseUnknown,
  refuseUnsent,
  refuseUnsettled,
  settledResponse,
} from './refusals.ts';
import { reservePayment } from './reservePayment.ts';
import type { SettlementResult } from './settlement.ts';
import { takeTrial } from './takeTrial.ts';
import { toUsd } from './usdc.ts';
import { walletOf } from './walletOf.ts';

/** Pause between attempts to claim a payment that another replica owns. */
const claimPauseMs = 250;

/**
 * Claims the payment, or waits for the result of the replica that owns it.
 * @param seen the row before the verification; if another replica owned it then, it may have been refused since
 */
async function claimOrAwait(
  context: PaymentContext,
  facts: PaymentFacts,
  seen: PaymentRow | undefined,
): Promise<{ row: PaymentRow; isFirst: boolean } | SettlementResult> {
  const { ledger } = context;
  const wasClaimed = seen?.state === 'claimed' || seen?.state === 'sent';
  for (let waited = 0; waited <= context.timings.joinDeadlineMs; waited += claimPauseMs) {
    const { won, isFirst, row } = await ledger.claim(facts);
    if (row.fingerprint !== facts.fingerprint) return { kind: 'refuse', refusal: refuseReused(chargeStateOf(row)) };
    if (row.answer && row.paymentResponse) {
      return { kind: 'answered', answer: row.answer, paymentResponse: row.paymentResponse };
    }
    if (row.state === 'answered')
      return { kind: 'refuse', refusal: refuseAnswered({ isFree: row.trialGroup !== undefined }) };
    // The former owner has refused its client with "nothing was charged"; settling now would contradict that.
    if (won && (wasClaimed || waited > 0) && (isFirst || row.state === 'refused')) {
      await (isFirst ? ledger.forget(facts.key) : ledger.release(facts.key));
      return { kind: 'refuse', refusal: refuseConcurrent() };
    }
    if (won) return { row, isFirst };
    await sleep(claimPauseMs);
  }
  return { kind: 'refuse', refusal: refuseUnknown(facts.network) };
}

/** Whether the payment may use its identifier, so that a wallet does not pay twice under one identifier. */
async function ownsIdentifier(
  { ledger }: PaymentContext,
  { key, network, payer, identifier }: PaymentFacts,
  { state }: PaymentRow,
) {
  if (identifier === undefined || (state !== 'claimed' && state !== 'refused')) return true;
  return ledger.claimIdentifier({ key, wallet: walletOf({ network, payer }), identifier });
}

/** Ends a payment whose identifier belongs to another one. @param row undefined if the payment is new */
async function refuseWithoutIdentifier({ ledger }: PaymentContext, facts: PaymentFacts, row: PaymentRow | undefined) {
  const { key, identifier = '' } = facts;
  // No node has seen a new payment, so it may be sent again under another identifier.
  await (row ? ledger.refused(key, 'identifier in use') : ledger.forget(key));
  return refuseIdentifierInUse(
    identifierState(row, await ledger.loadIdentified({ wallet: walletOf(facts), identifier })),
  );
}

const pausedOutcome = {
  kind: 'refused' as const,
  reason: 'payer_paused',
  detail:
    'The transaction of this payment failed on chain and moved nothing. Its wallet is paused, because another payment of the wallet failed too. Send the same PAYMENT-SIGNATURE again later.',
};

/** Ends a payment as refused. @returns what is known about its charge: a transaction sent for it may still be included */
async function endRefused(
  { ledger }: PaymentContext,
  { key }: PaymentRow,
  reason: string,
  gas: GasSpent | undefined,
): Promise<ChargeState> {
  await ledger.refused(key, reason, gas);
  return chargeStateOf(await ledger.load(key));
}

/** @returns PAYMENT-RESPONSE */
async function recordSettled(
  { ledger, logger, onEvent }: PaymentContext,
  { key, network, payer, paid }: PaymentRow,
  { transaction }: Extract<SettleOutcome, { kind: 'settled' }>,
  gas: GasSpent,
  amount: bigint,
): Promise<string> {
  const paymentResponse = settledResponse(network, transaction, payer);
  await ledger.settled(key, paymentResponse, gas);
  onEvent({ kind: 'payment settled', network, paid, usd: toUsd(amount) });
  logger.info({ network, payer, transaction, paid }, 'Payment settled');
  return paymentResponse;
}

/** Settles a claimed payment and records the result in the ledger. */
async function settleRow(
  context: PaymentContext,
  offer: BuiltOffer,
  row: PaymentRow,
  payment: NetworkPayment,
  terms: AcceptedTerms,
  client: string | undefined,
): Promise<SettlementResult> {
  const { ledger } = context;
  const { key, network, payer } = row;
  // Paid before but not answered: serve the credit.
  if (row.paymentResponse) {
    return { kind: 'settled', paymentResponse: row.paymentResponse, free: row.trialGroup !== undefined };
  }
  const trial = await takeTrial(context, offer, row, payment, client);
  if (trial) return trial;

  const wallet = walletOf(row);
  const amount = BigInt(terms.amount);
  const earned = payment.spendsOurGas && { earnedOn: [...context.paymentNetworks.keys()] };
  const reserve = () => ledger.reserve({ key, wallet, network, amount, ...earned });
  const reserved = await reservePayment(context, offer, { row, payment, terms }, reserve);
  if (reserved.kind === 'refuse') {
    await ledger.refused(key, reserved.reason);
    return { kind: 'refuse', refusal: reserved.refusal };
  }
  const { claim } = reserved;
  const settled = await payment.settle({
    key,
    terms,
    sent: row.transactions,
    wasRefused: row.state === 'refused',
    async checkFunds() {
      // A paused or full wallet does not stop the settlement of a transaction that was already sent; only new ones.
      const current = claim ?? (await reserve());
      if (current.kind === 'reserved')
        return findShortage(ledger, payment, { key, network, amount, before: current.before });
      if (current.kind === 'full') return { kind: 'limited', ...concurrencyLimit(payer) };
      return claim ? undefined : pausedOutcome;
    },
    journal: (transaction) => ledger.journal(key, transaction),
  });
  const outcome = await attributeFailure(context, row, settled);
  if (outcome.kind !== 'settled') {
    const reason = outcome.kind === 'refused' ? outcome.reason : outcome.kind;
    context.onEvent({ kind: 'payment refused', network, reason: toReasonLabel(reason) });
  }
  switch (outcome.kind) {
    case 'settled': {
      const gas: GasSpent = settled.gas ?? { unknown: payment.spendsOurGas ? 'not_read' : 'remote' };
      return { kind: 'settled', paymentResponse: await recordSettled(context, row, outcome, gas, amount), free: false };
    }
    case 'refused': {
      // Pause before the claim ends, so that the payer cannot start another payment in between.
      const pauseMs = outcome.failedOnChain ? await ledger.pausePayer(wallet) : undefined;
      if (pauseMs !== undefined) {
        context.logger.warn({ network, payer, pauseMs }, 'A settlement failed on chain; its payer is paused');
      }
      const state = await endRefused(context, row, outcome.reason, settled.gas);
      const paused = pauseMs === undefined ? '' : ` The wallet is paused for ${pauseMs / 1000} s.`;
      const detail = `${outcome.detail}${paused}`;
      const refused = { ...outcome, detail, network, payer };
      return { kind: 'refuse', refusal: refuseUnsettled(offer, refused, state.charged !== false) };
    }
    case 'unavailable': {
      const state = await endRefused(context, row, 'unavailable', settled.gas);
      return { kind: 'refuse', refusal: refuseUnsent(network, { cause: outcome.detail, state }) };
    }
    case 'limited': {
      const state = await endRefused(context, row, 'limited', settled.gas);
      return { kind: 'refuse', refusal: refuseLimited({ ...outcome, state }) };
    }
    case 'unknown':
      await ledger.release(key);
      return { kind: 'refuse', refusal: refuseUnknown(network) };
  }
}

/**
 * Claims and settles one payment. Never rejects: an internal error is logged and becomes a 503 that states whether
 * anything may have been charged.
 *
 * @param seen the payment's row when this attempt loaded it; undefined if there was none
 */
export async function settlePayment(
  context: PaymentContext,
  offer: BuiltOffer,
  facts: PaymentFacts,
  payment: NetworkPayment,
  terms: AcceptedTerms,
  seen?: PaymentRow,
): Promise<SettlementResult> {
  try {
    const claimed = await claimOrAwait(context, facts, seen);
    if (!('row' in claimed)) return claimed;
    const { row, isFirst } = claimed;
    if (!(await ownsIdentifier(context, facts, row))) {
      return { kind: 'refuse', refusal: await refuseWithoutIdentifier(context, facts, isFirst ? undefined : row) };
    }
    return await settleRow(context, offer, row, payment, terms, facts.client);
  } catch (err) {
    context.logger.error({ payment: facts.key, err }, 'A settlement failed because of an internal error');
    return { kind: 'refuse', refusal: await refuseAfterFault(context, facts) };
  } finally {
    context.turns.ended(walletOf(facts));
  }
}

async function refuseAfterFault({ ledger, logger }: PaymentContext, { key, network }: PaymentFacts) {
  try {
    const row = await ledger.load(key);
    // Another replica recorded the payment first. Release the credit, so that the next request is served.
    if (row?.state === 'settled') await ledger.release(key);
    // Journaling makes a row `sent` before anything is sent: a row that is still `refused` has sent nothing new.
    if (row && row.state !== 'claimed' && row.state !== 'refused') return refuseUnknown(network);
    if (row) await ledger.refused(key, 'fault');
    return refuseUnsent(network, row && { state: unsentState(row) });
  } catch (err) {
    // The ledger is unreachable, so the payment's state is unknown.
    logger.error({ payment: key, err }, 'The payment ledger cannot be read');
    return refuseUnknown(network);
  }
}
