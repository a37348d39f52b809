import { beginSettlement } from './beginSettlement.ts';
import { decodeStored } from './decodePayment.ts';
import { LedgerOrderError } from './ledger/ledgerOrderError.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';

/**
 * Recovers payments of an earlier process or a dead replica. One without a transaction is refused; the others are sent
 * again, at start before a new nonce is given out, and settled in the background.
 */
export async function recoverUnfinished(context: PaymentContext): Promise<void> {
  const { ledger, logger, paymentNetworks, offers, settlements } = context;
  // A settlement that ends between the two reads is no longer in `settlements`, and its row is out of date.
  const current = new Set(settlements.keys());
  const rows = await ledger.takeOverUnfinished();
  const signed: PaymentRow[] = [];
  for (const row of rows) {
    if (settlements.has(row.key) || current.has(row.key)) continue;
    if (row.transactions.length > 0) signed.push(row);
    else await forget(context, row);
  }
  for (const [network, paymentNetwork] of paymentNetworks) {
    const own = signed.filter((row) => row.network === network);
    await paymentNetwork.resend(own.flatMap(({ transactions }) => transactions));
  }
  for (const row of signed) {
    // A client's retry may have begun it.
    if (settlements.has(row.key)) continue;
    const paymentNetwork = paymentNetworks.get(row.network);
    const offer = offers.get(row.paid);
    if (!paymentNetwork || !offer) {
      logger.error(
        { payment: row.key, paid: row.paid },
        'An unfinished payment is for a product or network that is no longer configured',
      );
      continue;
    }
    follow(context, offer, paymentNetwork, row);
  }
  if (signed.length > 0) logger.info({ followed: signed.length }, 'Recovered unfinished payments');
}

/** A payload that this version cannot read must not block the others or the start. */
function follow(context: PaymentContext, offer: BuiltOffer, paymentNetwork: PaymentNetwork, row: PaymentRow): void {
  try {
    const envelope = decodeStored(row.payload);
    // With the row as it was read: if the payment was refused since, it is not tried again.
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
    // It has ended in the meantime.
    if (!(error instanceof LedgerOrderError)) throw error;
  }
}
