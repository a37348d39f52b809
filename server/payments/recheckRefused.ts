import { isChainError } from './chainCall.ts';
import { decodeStored } from './decodePayment.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { PaymentContext } from './paymentContext.ts';
import { toRecordedTerms } from './recordedTerms.ts';
import { settledResponse } from './refusals.ts';
import { toUsd } from './usdc.ts';

/** Payments rechecked concurrently, and batches of them in one round. */
const atOnce = 16;
const batches = 4;

/**
 * Rechecks refused payments, because they may pay later: a reorganisation moves our failed transaction to a block where it
 * succeeds, or a facilitator settles after its refusal. A retry by the client would detect this; the recheck does so
 * without a client, until the payment has expired and blocks can no longer be replaced.
 */
export async function recheckRefused(context: PaymentContext): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const rows = await context.ledger.takeRefused(atOnce, context.timings.reconcileMs);
    // Waits for all: one failure must not skip the others.
    const rechecks = await Promise.allSettled(rows.map((row) => recheckPayment(context, row)));
    const failed = rechecks.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    if (rows.length < atOnce) return;
  }
}

/**
 * Rechecks one refused payment, and records the result. If its status cannot be read, it stays due.
 */
export async function recheckPayment(
  { ledger, paymentNetworks, logger, onEvent }: PaymentContext,
  row: PaymentRow,
): Promise<void> {
  const { key, network, payer, transactions } = row;
  const paymentNetwork = paymentNetworks.get(network);
  if (!paymentNetwork) return;
  try {
    const envelope = decodeStored(row.payload);
    const payment = paymentNetwork.read(envelope);
    const status = await payment.readLateStatus(transactions);
    if (status.kind === 'open') return;
    if (status.kind === 'expired') return await ledger.foundExpired(key);
    const { transaction } = status;
    if (!(await ledger.foundPaid(key, settledResponse(network, transaction, payer)))) return;
    const usd = toUsd(toRecordedTerms(envelope.accepted).amount ?? 0);
    onEvent({ kind: 'payment settled', network, paid: row.paid, usd });
    logger.warn({ payment: key, transaction }, 'A refused payment has paid after all: its payer has a credit');
    payment.watchPaid({ transaction, sent: transactions });
  } catch (error) {
    if (error instanceof MalformedPaymentError) {
      // Not `foundExpired`: it may have paid. A version that decodes it finds out.
      return logger.error({ payment: key, err: error }, 'The stored payload of a refused payment cannot be decoded');
    }
    if (!isChainError(error)) throw error;
    logger.warn({ network, cause: error.message }, 'The status of a refused payment cannot be read; it stays due');
  }
}
