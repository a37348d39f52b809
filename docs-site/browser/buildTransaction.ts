import type { QuoteOutput, TransactionOutput } from '../../router/index.ts';
import { chosenSlippageBps } from './leastReceived.ts';

/** Seconds until the transaction reverts. */
const validSeconds = 1_200;

/** A transaction, and the Unix seconds after which it reverts. */
export type BuiltTransaction = TransactionOutput & { deadline: number };

/**
 * Builds the transaction of a quote at the selected slippage, by the free call of the service.
 * @throws {Error} with a sentence for the user
 */
export async function buildTransaction(quote: QuoteOutput, receiver: string): Promise<BuiltTransaction> {
  const { chain, tokenIn, tokenOut, amountIn, amountOut, route } = quote;
  const deadline = Math.floor(Date.now() / 1_000) + validSeconds;
  const flags = quote.flags.map(({ code }) => ({ code }));
  const order = { chain, tokenIn, tokenOut, amountIn, amountOut, route, flags, receiver };
  const response = await fetch('/v1/quote/transaction', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...order, slippageBps: chosenSlippageBps(), deadline }),
  }).catch(() => undefined);
  if (!response) throw new Error('The service could not be reached. Nothing was sent. Try again.');
  const body: (TransactionOutput & { detail?: string }) | undefined = await response.json().catch(() => undefined);
  if (!response.ok || !body) throw new Error(body?.detail ?? `The service returned ${response.status}. Try again.`);
  return { ...body, deadline };
}
