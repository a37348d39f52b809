import { attributeFailure } from './attributeFailure.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { NetworkPayment } from './paymentNetwork.ts';
import { freeResponse, refuseFreeCalls, refuseUnsent, refuseUnsettled } from './refusals.ts';
import type { SettlementResult } from './settlement.ts';
import { walletOf } from './walletOf.ts';

const dayMs = 86_400_000;

/**
 * Uses the wallet's free call for a claimed payment, if the offer has one and the wallet has not used it.
 *
 * The payment must be valid, including the balance, as if it were settled. An address is one wallet on all EVM networks.
 *
 * @returns undefined if the payment must be settled
 */
export async function takeTrial(
  { ledger, logger, now, offers, freeTrialsPerIp }: PaymentContext,
  offer: BuiltOffer,
  { key, network, payer, paid, transactions }: PaymentRow,
  payment: NetworkPayment,
  client: string | undefined,
): Promise<SettlementResult | undefined> {
  const { trialGroup: group } = offer;
  const wallet = walletOf({ network, payer });
  // A payment with a journaled transaction is a paid call, whether or not the transaction succeeded.
  if (group === undefined || transactions.length > 0 || (await ledger.hasTrial(group, wallet))) return undefined;

  const verdict = await attributeFailure({ offers }, { network, paid }, await payment.verify());
  // The earlier use may have paid us: then it is a paid call, and the wallet keeps its free call.
  if (verdict.kind === 'used') return undefined;
  if (verdict.kind === 'refused') {
    await ledger.refused(key, verdict.reason);
    return { kind: 'refuse', refusal: refuseUnsettled(offer, { ...verdict, network, payer }) };
  }
  if (verdict.kind === 'unavailable') {
    await ledger.refused(key, 'unavailable');
    return { kind: 'refuse', refusal: refuseUnsent(network, { cause: verdict.detail }) };
  }
  const paymentResponse = freeResponse(network, payer);
  const isLimited = freeTrialsPerIp !== undefined && client !== undefined;
  const taken = await ledger.claimTrial({
    key,
    group,
    wallet,
    paymentResponse,
    ...(isLimited && { client: { address: client, perDay: freeTrialsPerIp } }),
  });
  if (taken === 'limited') {
    await ledger.refused(key, 'limited');
    return { kind: 'refuse', refusal: refuseFreeCalls(Math.ceil((dayMs - (now() % dayMs)) / 1_000)) };
  }
  if (!taken) return undefined;
  logger.info({ network, payer, paid, group }, 'Free call taken');
  return { kind: 'settled', paymentResponse, free: true };
}
