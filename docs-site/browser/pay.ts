import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { connectBrowserWallet, openDemoWallet, type PayWith } from './wallets.ts';

/** What a payment left behind, as the `PAYMENT-RESPONSE` header says it. */
export type Receipt = ReturnType<typeof decodePaymentResponseHeader>;

/**
 * A `fetch` that pays a 402 by itself, with the published x402 client and its spend controls.
 * @throws {WalletError} when there is no wallet, or it gives no account
 */
export async function openPayingFetch(payWith: PayWith): Promise<typeof fetch> {
  const plain: typeof fetch = (input, init) => fetch(input, init);
  if (payWith === 'nobody') return plain;
  const signer = payWith === 'demo' ? await openDemoWallet() : await connectBrowserWallet();
  return wrapFetchWithPayment(plain, new x402Client().register('eip155:*', new ExactEvmScheme(signer))) as typeof fetch;
}

/** The decoded receipt; null where none came or it cannot be read. */
export function readReceipt(header: string | null): Receipt | null {
  if (!header) return null;
  try {
    return decodePaymentResponseHeader(header);
  } catch {
    return null;
  }
}
