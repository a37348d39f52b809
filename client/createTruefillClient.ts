import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { LocalAccount } from 'viem';
import type { AppRouter } from '../router/index.ts';

export interface TruefillClientOptions {
  /** Base URL of the service, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** Signs the USDC authorization of each paid call. */
  account: LocalAccount;
  /** CAIP-2 network to pay on; `eip155:*` takes the first EVM network that the service offers. */
  payOn?: `eip155:${string}`;
}

/**
 * The service's procedures, typed, paying for themselves: a call that answers 402 is signed and sent again.
 * The x402 client's own spend controls stay on (USDC only, at most 1 USD a payment).
 *
 * A refused call rejects with a `TRPCClientError` whose `data.reason` is the REST error body
 * (`code`, `status`, `detail`, …). On `SETTLEMENT_UNKNOWN` do not call again: that would sign a second payment.
 *
 * @example
 * const truefill = createTruefillClient({ url, account: privateKeyToAccount('0x…') });
 * const quote = await truefill.quote.mutate({ tokenIn, tokenOut, sizeIn: '2.5' });
 */
export function createTruefillClient({
  url,
  account,
  payOn = 'eip155:*',
}: TruefillClientOptions): TRPCClient<AppRouter> {
  const payer = new x402Client().register(payOn, new ExactEvmScheme(account));
  const pay = wrapFetchWithPayment(fetch, payer);
  // tRPC's own fetch type allows a null signal, the platform's does not.
  const payingFetch = (input: string | URL | Request, init?: object) => pay(input, init as RequestInit);
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, fetch: payingFetch })] });
}
