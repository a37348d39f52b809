import { decodePaymentResponseHeader } from '@x402/core/http';
import { decodeStored } from './decodePayment.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { PaymentContext } from './paymentContext.ts';

/** Longer than any payment is valid, and than the time to the deepest recheck. */
const windowMs = 600_000;

/**
 * Rechecks payments that were settled shortly before this process started: the process that served them may have died
 * before their blocks were deep enough.
 */
export async function watchPaid({ ledger, paymentNetworks, logger, now }: PaymentContext): Promise<void> {
  for (const { key, network, paymentResponse, payload, transactions } of await ledger.loadPaid(now() - windowMs)) {
    const { transaction } = decodePaymentResponseHeader(paymentResponse);
    try {
      paymentNetworks.get(network)?.read(decodeStored(payload)).watchPaid({ transaction, sent: transactions });
    } catch (err) {
      if (!(err instanceof MalformedPaymentError)) throw err;
      logger.error({ payment: key, err }, 'A payment that was served cannot be read');
    }
  }
}
