import { decodePaymentResponseHeader } from '@x402/core/http';
import { decodeStored } from './decodePayment.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { PaymentContext } from './paymentContext.ts';

/** Exceeds the validity of any payment and the time until its last recheck. */
const windowMs = 600_000;

/**
 * Rechecks payments that were settled in the ten minutes before the start: the process that served them may have stopped
 * before their blocks were deep enough.
 */
export async function watchPaid({ ledger, paymentNetworks, logger, now }: PaymentContext): Promise<void> {
  for (const { key, network, paymentResponse, payload, transactions } of await ledger.loadPaid(now() - windowMs)) {
    const { transaction } = decodePaymentResponseHeader(paymentResponse);
    try {
      paymentNetworks.get(network)?.read(decodeStored(payload)).watchPaid({ transaction, sent: transactions });
    } catch (err) {
      if (!(err instanceof MalformedPaymentError)) throw err;
      logger.error({ payment: key, err }, 'The stored payload of a served payment cannot be decoded');
    }
  }
}
