import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { LocalAccount } from 'viem';

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** The published client's payment for a path's offer, as an object; a template for further ones. */
export async function signOffer(url: string, account: LocalAccount) {
  const offer = decodePaymentRequiredHeader((await postJson(url, {})).headers.get('payment-required') ?? '');
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  return payer.createPaymentPayload(offer);
}

/** Buys one answer as the published client does. @throws when the payment is refused */
export async function buyOnce(url: string, body: unknown, account: LocalAccount): Promise<string> {
  const payment = encodePaymentSignatureHeader(await signOffer(url, account));
  const response = await postJson(url, body, { 'payment-signature': payment });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
}
