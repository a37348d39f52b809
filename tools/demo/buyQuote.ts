import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ExecutableLeg } from '../../sandbox/index.ts';
import type { SolanaDescription } from './connectService.ts';

export interface QuoteRequest {
  chain: string;
  tokenIn: string;
  tokenOut: string;
  sizeIn: string;
}

/** The answer's fields that the demo prints or executes. */
export interface BoughtQuote {
  amountIn: string;
  amountOut: string;
  executablePrice: number;
  spotPrice: number | null;
  priceImpactBps: number | null;
  worstCaseSlippageBps: number | null;
  depthAtSize: number;
  confidence: string;
  venuesConsidered: number;
  blockNumber: string;
  decimals: { in: number; out: number };
  route: {
    dex: string;
    legs: (Omit<ExecutableLeg, 'amountIn'> & { amountIn: string; feePips: number; shareBps: number })[];
  };
  flags: { code: string; severity: string; message: string }[];
}

export interface Receipt {
  transaction: string;
  network: string;
  payer?: string;
}

/** A client that pays on one EVM network only, e.g. `eip155:8453`. */
export function evmPayer(network: `eip155:${number}`, wallet: { privateKey: Hex }): x402Client {
  return new x402Client().register(network, new ExactEvmScheme(privateKeyToAccount(wallet.privateKey)));
}

/** The same for Solana. */
export async function solanaPayer({ network, rpcUrl }: SolanaDescription, wallet: { secretKey: string }) {
  const secretKey = new Uint8Array(getBase58Encoder().encode(wallet.secretKey));
  const scheme = new ExactSvmScheme(await createKeyPairSignerFromBytes(secretKey), { rpcUrl });
  return new x402Client().register(network, scheme);
}

/**
 * Buys one quote as any x402 client does: request, receive the price, sign, retry.
 *
 * @throws {Error} when the answer is not 200, with its body.
 */
export async function buyQuote(
  url: string,
  client: x402Client,
  request: QuoteRequest,
): Promise<{ quote: BoughtQuote; receipt: Receipt }> {
  const response = await wrapFetchWithPayment(fetch, client)(`${url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const body = await response.text();
  const header = response.headers.get('PAYMENT-RESPONSE');
  if (response.status !== 200 || header === null) throw new Error(`${response.status} ${body}`);
  return { quote: JSON.parse(body) as BoughtQuote, receipt: decodePaymentResponseHeader(header) };
}
