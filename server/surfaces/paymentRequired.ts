import { type PaidItem, RequestError } from '../../router/index.ts';
import type { Cashier } from '../payment/index.ts';
import type { Reply } from './reply.ts';

/** Asks for payment, from memory: an offer's header was built at start, and as long as it stands the reply is one and the same. */
export function createChallenger(cashier: Pick<Cashier, 'challenge'>): (item: PaidItem) => Reply {
  const last = new Map<string, { header: string; reply: Reply }>();
  return (item) => {
    const { header, summary } = cashier.challenge(item.name);
    const known = last.get(item.name);
    if (known?.header === header) return known.reply;
    const detail =
      `This call costs ${item.priceUsd} USD in USDC. Sign one of accepts[] in the PAYMENT-REQUIRED header (x402 v2) ` +
      'and send the identical POST with PAYMENT-SIGNATURE.';
    const refusal = new RequestError('PAYMENT_REQUIRED', detail);
    const reply: Reply = { headers: { 'PAYMENT-REQUIRED': header }, refusal, summary, isShared: true };
    last.set(item.name, { header, reply });
    return reply;
  };
}
