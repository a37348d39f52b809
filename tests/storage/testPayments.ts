import type { PaymentFacts } from '../../server/payments/index.ts';

export const paymentOf = (key: string, payer = '0xPayer'): PaymentFacts => ({
  key,
  fingerprint: key,
  network: 'eip155:8453',
  payer,
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
});
export const transaction = { hash: '0xhash', raw: '0x', nonce: 1, fromBlock: 1n };
export const answer = { status: 200, contentType: 'application/json', body: '{}' };
