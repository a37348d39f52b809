import { decodePaymentResponseHeader } from '@x402/core/http';
import { decodeStored } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';

/** Longer than any payment here holds, and than the deepest look at one is away. */
const windowMs = 600_000;

/**
 * Has the rails look once more for what was paid shortly before this process began: whoever served it may have died
 * before the blocks of the payment were deep enough.
 */
export async function watchPaid({ ledger, rails, logger, now }: Desk): Promise<void> {
  for (const { key, network, paymentResponse, transaction, payload } of await ledger.loadPaid(now() - windowMs)) {
    const rail = rails.get(network);
    const { transaction: paid } = decodePaymentResponseHeader(paymentResponse);
    // Of several transactions at several prices one was taken.
    if (transaction.hash === paid) rail?.watch([{ ...transaction, key }]);
    if (payload === undefined) continue;
    try {
      rail?.read(decodeStored(payload)).watchForeign({ transaction: paid, since: transaction.fromBlock });
    } catch (err) {
      if (!(err instanceof MalformedPaymentError)) throw err;
      logger.error({ network, transaction: paid, err }, 'A payment that was served cannot be read');
    }
  }
}
