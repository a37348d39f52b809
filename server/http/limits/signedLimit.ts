import { Memory } from '../../../engine/index.ts';
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
 * Decides whether a request with a PAYMENT-SIGNATURE counts for its address or for its wallet. It counts for the wallet, in
 * `decidePayment`, if three conditions hold: this process has not seen the payment before, the wallet has a settled payment
 * on record, and the wallet's key signed the payment.
 *
 * The names and signatures of paying wallets are public on chain, so these are bounded for each address:
 * - Requests that failed this check: after `perAddress` of them the header is not decoded.
 * - Requests that passed it and were not yet counted for the wallet: `perWallet`.
 */
export function createSignedLimit(options: SignedLimitOptions): SignedLimit {
  const { perAddress, perWallet, window, limitAddress, readSigner, now } = options;
  const walletPolicy = toRatePolicy(perWallet);
  const inTurn = createTurns();
  const seen = new Memory<string, true>({ maxEntries: maxSeenPayments });

  const secondsLeft = (endsAt: number): number => Math.max(0, Math.ceil((endsAt - now()) / 1000));

  function headersFor(wallet: string): RateHeaders {
    const { hits, endsAt } = window.peek(`wallet:${wallet.toLowerCase()}`);
    return rateHeaders(walletPolicy, policyOf(walletPolicy, wallet), { hits, seconds: secondsLeft(endsAt) });
  }

  /** Whether the wallet's key signed this payment, and it was not seen before. */
  async function verify(signer: PaymentSigner): Promise<boolean> {
    if (seen.get(signer.key) || !(await signer.hasSigned())) return false;
    seen.set(signer.key, true);
    return true;
  }

  /** Counts a request for its address. */
  function countFailed(ip: string | undefined, failed: string): AddressHit {
    const { endsAt } = window.hit(failed);
    const hit = limitAddress(ip);
    return {
      ...hit,
      release() {
        hit.release();
        window.release(failed, endsAt);
      },
    };
  }

  async function count(ip: string | undefined, paymentHeader: string): Promise<AddressHit> {
    const key = keyOf(ip);
    const [failed, open] = [`failed:${key}`, `open:${key}`];
    const { hits, endsAt } = window.hit(open);
    const release = () => window.release(open, endsAt);
    if (hits > perWallet) {
      release();
      return limitAddress(ip);
    }
    const isExhausted = () => window.peek(failed).hits >= perAddress;
    const signer = isExhausted() ? undefined : readSigner(paymentHeader);
    const hasPaid = await signer?.hasPaid();
    // One at a time, so that concurrent requests cause no verification above the limit.
    return inTurn(key, async () => {
      if (signer && hasPaid && !isExhausted() && (await verify(signer)))
        return { headers: headersFor(signer.wallet), refusal: undefined, release };
      release();
      return countFailed(ip, failed);
    });
  }

  return { count, headersFor };
}

/** Runs the work of one key sequentially. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const run = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(key, run);
    try {
      return await run;
    } finally {
      if (last.get(key) === run) last.delete(key);
    }
  };
}
