import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Desk } from './desk.ts';

/** Longer than any payment here holds, and than the deepest look at one is away. */
const windowMs = 600_000;

/**
 * Has the rails look once more for what was paid shortly before this process began: whoever served it may have died
 * before the blocks of the payment were deep enough.
 */
export async function watchPaid({ ledger, rails, now }: Desk): Promise<void> {
  const paid = await ledger.loadPaid(now() - windowMs);
  for (const [network, rail] of rails) {
    // Of several transactions at several prices one was taken.
    const taken = paid.filter(
      ({ transaction, paymentResponse, ...row }) =>
        row.network === network && decodePaymentResponseHeader(paymentResponse).transaction === transaction.hash,
    );
    rail.watch(taken.map(({ transaction }) => transaction));
  }
}
