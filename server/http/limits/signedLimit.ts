import { LruMap } from '../../../engine/index.ts';
import type { PaymentSigner } from '../../payments/index.ts';
import { type AddressHit, type AddressLimit, keyOf } from './addressLimit.ts';
import { policyOf, type RateHeaders, rateHeaders, toRatePolicy } from './policy.ts';
import type { RateWindow } from './rateWindow.ts';

export interface SignedLimit {
  /** Counts one request with a PAYMENT-SIGNATURE. */
  count(ip: string | undefined, paymentHeader: string): Promise<AddressHit>;
  /** Headers that describe the limit of a wallet. */
  headersFor(wallet: string): RateHeaders;
}

/** Payments that this process has seen, by key. A payment expires within minutes. */
const maxSeenPayments = 20_000;

interface SignedLimitOptions {
  perAddress: number;
  perWallet: number;
  window: RateWindow;
  limitAddress: AddressLimit;
  readSigner: (paymentHeader: string) => PaymentSigner | undefined;
  now: () => number;
}

/**
 * Decides whether a request with a PAYMENT-SIGNATURE counts for its address. It does not if it is the first request with
 * this payment, the wallet has a settled payment on record and the wallet's key signed it. Then `decidePayment` counts it
 * for the wallet.
 *
 * The names and signatures of paying wallets are public on chain, so these are bounded for each address:
 * - Requests that failed this check: after `perAddress` of them the header is not decoded.
 * - Requests that passed it and were not yet counted for the wallet: `perWallet`.
 */
export function createSignedLimit(options: SignedLimitOptions): SignedLimit {
  const { perAddress, perWallet, window, limitAddress, readSigner, now } = options;
  const walletPolicy = toRatePolicy(perWallet);
  const seen = new LruMap<string, true>(maxSeenPayments);

  const secondsLeft = (endsAt: number): number => Math.max(0, Math.ceil((endsAt - now()) / 1000));

  function headersFor(wallet: string): RateHeaders {
    const { hits, endsAt } = window.peek(`wallet:${wallet.toLowerCase()}`);
    return rateHeaders(walletPolicy, policyOf(walletPolicy, wallet), { hits, seconds: secondsLeft(endsAt) });
  }

  /** The signer, if its wallet pays and signed this payment, which was not seen before. */
  async function findPayer(paymentHeader: string, isExhausted: () => boolean): Promise<PaymentSigner | undefined> {
    if (isExhausted()) return undefined;
    const signer = readSigner(paymentHeader);
    if (!signer || seen.get(signer.key) || !(await signer.hasPaid())) return undefined;
    // Concurrent requests may have failed during the look-up.
    if (isExhausted() || !(await signer.hasSigned()) || seen.get(signer.key)) return undefined;
    seen.set(signer.key, true);
    return signer;
  }

  async function count(ip: string | undefined, paymentHeader: string): Promise<AddressHit> {
    const key = keyOf(ip);
    const [failed, open] = [`failed:${key}`, `open:${key}`];
    const opened = window.hit(open);
    const signer =
      opened.hits > perWallet
        ? undefined
        : await findPayer(paymentHeader, () => window.peek(failed).hits >= perAddress);
    if (signer) {
      const release = () => window.release(open, opened.endsAt);
      return { headers: headersFor(signer.wallet), refusal: undefined, release };
    }
    window.release(open, opened.endsAt);
    const { endsAt } = window.hit(failed);
    const counted = limitAddress(ip);
    return {
      ...counted,
      release() {
        counted.release();
        window.release(failed, endsAt);
      },
    };
  }

  return { count, headersFor };
}
