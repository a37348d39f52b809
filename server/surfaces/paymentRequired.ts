import { type PaidItem, RequestError } from '../../router/index.ts';
import type { Cashier } from '../payment/index.ts';
import type { Reply } from './reply.ts';

/** The 402, from memory: its header was built at start. */
export function askForPayment(cashier: Cashier, item: PaidItem): Reply {
  const { header, summary } = cashier.challenge(item.name);
  const detail =
    `This call costs ${item.priceUsd} USD in USDC. Sign one of accepts[] in the PAYMENT-REQUIRED header (x402 v2) ` +
    'and send the identical POST with PAYMENT-SIGNATURE.';
  return { headers: { 'PAYMENT-REQUIRED': header }, refusal: new RequestError('PAYMENT_REQUIRED', detail), summary };
}
