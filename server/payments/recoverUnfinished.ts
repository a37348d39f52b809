import { beginSettlement } from './beginSettlement.ts';
import { decodeStored } from './decodePayment.ts';
import { LedgerOrderError } from './ledger/ledgerOrderError.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';

/**
 * What an earlier process, or a replica that died, left: a payment that was never signed for is forgotten; one that was
 * is sent again, at start before any nonce is given out, and followed in the background to its end.
 */
export async function recoverUnfinished(context: PaymentContext): Promise<void> {
  const { ledger, logger, paymentNetworks, offers, settlements } = context;
  // What ends between the two reads is not in hand any more, and its row here is out of date.
  const inHand = new Set(settlements.keys());
  const rows = await ledger.takeOverUnfinished();
  const signed: PaymentRow[] = [];
  for (const row of rows) {
    if (settlements.has(row.key) || inHand.has(row.key)) continue;
    if (row.transactions.length > 0) signed.push(row);
    else await forget(context, row);
  }
  for (const [network, paymentNetwork] of paymentNetworks) {
    const own = signed.filter((row) => row.network === network);
    await paymentNetwork.resend(own.flatMap(({ transactions }) => transactions));
  }
  for (const row of signed) {
    // A client was faster.
    if (settlements.has(row.key)) continue;
    const paymentNetwork = paymentNetworks.get(row.network);
    const offer = offers.get(row.paid);
    if (!paymentNetwork || !offer) {
      logger.error({ payment: row.key, paid: row.paid }, 'An unfinished payment is for what is no longer configured');
      continue;
    }
    follow(context, offer, paymentNetwork, row);
  }
  if (signed.length > 0) logger.info({ followed: signed.length }, 'Took up unfinished payments');
}

/** One payment that cannot be read any more, by a later version, holds up neither the others nor the start. */
function follow(context: PaymentContext, offer: BuiltOffer, paymentNetwork: PaymentNetwork, row: PaymentRow): void {
  try {
    const envelope = decodeStored(row.payload);
    // With the row as it was read: if its payment was refused since then, it is not tried again.
    beginSettlement(context, offer, row, paymentNetwork.read(envelope), envelope.accepted, row);
  } catch (err) {
    if (!(err instanceof MalformedPaymentError)) throw err;
    context.logger.error({ payment: row.key, err }, 'An unfinished payment cannot be read');
  }
}

async function forget({ ledger }: PaymentContext, { key }: PaymentRow): Promise<void> {
  try {
    await ledger.refused(key, 'never sent');
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof LedgerOrderError)) throw error;
  }
}
