import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { LocalAccount } from 'viem';

/** Sends a POST request with a JSON body. */
export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Requests the payment terms of a URL and signs a payment with the client of @x402/fetch. */
export async function signOffer(url: string, account: LocalAccount) {
  const offer = decodePaymentRequiredHeader((await postJson(url, {})).headers.get('payment-required') ?? '');
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  return payer.createPaymentPayload(offer);
}

/** Pays for one request with the client of @x402/fetch and returns the body. @throws if the payment is refused */
export async function buyOnce(url: string, body: unknown, account: LocalAccount): Promise<string> {
  const payment = encodePaymentSignatureHeader(await signOffer(url, account));
  const response = await postJson(url, body, { 'payment-signature': payment });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${text.slice(0, 300)}`);
  return text;
}
