import type { AcceptedTerms } from './decodePayment.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { NetworkPayment } from './paymentNetwork.ts';
import { type Settlement, startSettlement } from './settlement.ts';
import { settlePayment } from './settlePayment.ts';

/**
 * Starts to settle a payment. The settlement completes even if every client disconnects.
 * @param seen the payment's row when this attempt loaded it; undefined if there was none
 */
export function beginSettlement(
  context: PaymentContext,
  offer: BuiltOffer,
  facts: PaymentFacts,
  payment: NetworkPayment,
  terms: AcceptedTerms,
  seen?: PaymentRow,
): Settlement {
  const { settlements, releasing, ledger } = context;
  const { key } = facts;
  const settlement = startSettlement(facts.fingerprint, async () => {
    await releasing.get(key);
    const result = await settlePayment(context, offer, facts, payment, terms, seen);
    if (result.kind !== 'settled') settlements.delete(key);
    else if (settlement.waiting === 0) {
      // No request waits for the result. Keep a payment as a credit, and restore a wallet's free call.
      settlements.delete(key);
      await releaseClaim(
        context,
        key,
        result.free ? ledger.failed(key, 'No client waits for the answer') : ledger.release(key),
      );
    }
    return result;
  });
  settlements.set(key, settlement);
  return settlement;
}

/** Releases a claim. A settlement that starts before the release is stored waits for it. */
async function releaseClaim({ releasing, logger }: PaymentContext, key: string, work: Promise<void>): Promise<void> {
  const released = work.catch((err) => logger.error({ payment: key, err }, 'A claim could not be released'));
  releasing.set(key, released);
  await released;
  releasing.delete(key);
}

/** Releases credits that this process owns but no request serves: their answer or failure could not be stored. */
export async function releaseUnservedCredits(context: PaymentContext): Promise<void> {
  for (const key of await context.ledger.loadHeldCredits()) {
    if (context.settlements.has(key) || context.releasing.has(key)) continue;
    await releaseClaim(context, key, context.ledger.release(key));
  }
}
