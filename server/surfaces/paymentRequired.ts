import type { Response } from 'express';
import { type PaidItem, RequestError } from '../../router/index.ts';
import { sendRefusal } from '../http/sendRefusal.ts';
import type { Cashier } from '../payment/index.ts';

/** Answers 402 from memory: the header was built at start. */
export function sendPaymentRequired(
  res: Response,
  { cashier, item, docsUrl }: { cashier: Cashier; item: PaidItem; docsUrl: string },
): void {
  const { header, summary } = cashier.challenge(item.name);
  res.setHeader('PAYMENT-REQUIRED', header);
  const detail =
    `This call costs ${item.priceUsd} USD in USDC. Sign one of accepts[] in the PAYMENT-REQUIRED header (x402 v2) ` +
    'and send the identical POST with PAYMENT-SIGNATURE.';
  sendRefusal(res, new RequestError('PAYMENT_REQUIRED', detail), { docsUrl, summary });
}
