import { beginSettlement } from './beginSettlement.ts';
import { decodeStored } from './decodePayment.ts';
import { LedgerOrderError } from './ledger/ledgerOrderError.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';

/**
 * Recovers payments of an earlier process or a stopped replica. A payment without a transaction is refused. The
 * transactions of the others are broadcast again, at start before a new nonce is used, and settled in the background.
 */
export async function recoverUnfinished(context: PaymentContext): Promise<void> {
  const { ledger, logger, paymentNetworks, offers, settlements } = context;
  // Read before the rows: a settlement that ends in between has left `settlements`, but its row was read as unfinished.
  const current = new Set(settlements.keys());
  const rows = await ledger.takeOverUnfinished();
  const signed: PaymentRow[] = [];
  for (const row of rows) {
    if (settlements.has(row.key) || current.has(row.key)) continue;
    if (row.transactions.length > 0) signed.push(row);
    else await refuseUnsigned(context, row);
  }
  for (const [network, paymentNetwork] of paymentNetworks) {
    const own = signed.filter((row) => row.network === network);
    await paymentNetwork.resend(own.flatMap(({ transactions }) => transactions));
  }
  for (const row of signed) {
    // A client's retry may have started the settlement.
    if (settlements.has(row.key)) continue;
    const paymentNetwork = paymentNetworks.get(row.network);
    const offer = offers.findAll(row.paid);
    if (!paymentNetwork || !offer) {
      logger.error(
        { payment: row.key, paid: row.paid },
        'An unfinished payment is for a product or network that is no longer configured',
      );
      continue;
    }
    resume(context, offer, paymentNetwork, row);
  }
  if (signed.length > 0) logger.info({ followed: signed.length }, 'Recovered unfinished payments');
}

/** Resumes a settlement. A payload that this version cannot decode is logged: it must not block the start. */
function resume(context: PaymentContext, offer: BuiltOffer, paymentNetwork: PaymentNetwork, row: PaymentRow): void {
  try {
    const envelope = decodeStored(row.payload);
    // Passes the row as it was read: if the payment was refused since, it is not settled again.
    beginSettlement(context, offer, row, paymentNetwork.read(envelope), envelope.accepted, row);
  } catch (err) {
    if (!(err instanceof MalformedPaymentError)) throw err;
    context.logger.error({ payment: row.key, err }, 'The stored payload of an unfinished payment cannot be decoded');
  }
}

async function refuseUnsigned({ ledger }: PaymentContext, { key }: PaymentRow): Promise<void> {
  try {
    await ledger.refused(key, 'never sent');
  } catch (error) {
    // The payment has ended in the meantime.
    if (!(error instanceof LedgerOrderError)) throw error;
  }
}
