import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { type Address, createPublicClient, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export const postJson = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Requests the 402 of `url` and signs its offer for one network with the published client. Returns the header. */
export async function signOffer(
  url: string,
  { privateKey }: { privateKey: Hex },
  network: `eip155:${number}` = 'eip155:8453',
): Promise<{ 'payment-signature': string }> {
  const unpaid = await postJson(url, {});
  const offered = unpaid.headers.get('payment-required');
  if (offered === null) throw new Error(`${url} returned ${unpaid.status} without an offer: ${await unpaid.text()}`);
  const offer = decodePaymentRequiredHeader(offered);
  const payer = new x402Client().register(network, new ExactEvmScheme(privateKeyToAccount(privateKey)));
  const accepts = offer.accepts.filter((each) => each.network === network);
  return { 'payment-signature': encodePaymentSignatureHeader(await payer.createPaymentPayload({ ...offer, accepts })) };
}

/** The USDC balance of an account in raw units. */
export const usdcOf = (chain: { rpcUrl: string; usdc: Address }, owner: Address): Promise<bigint> =>
  createPublicClient({ transport: http(chain.rpcUrl) }).readContract({
    address: chain.usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  });
