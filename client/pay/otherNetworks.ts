import { NoPaymentOptionError, SpendLimitError } from '../errors.ts';
import { toOffer } from './offer.ts';
import type { PaymentSession } from './paymentSession.ts';
import { type Call, post } from './post.ts';
import type { Attempt } from './send.ts';
import { type EarlierPayments, type Signed, sign } from './sign.ts';

/** Bounds the payments of one call. The service has four networks. */
const networksLimit = 4;

/** Signs a payment in place of one that was not charged. */
export interface Replacement {
  /** Undefined: send the same payment again. */
  sign(): Promise<Signed | undefined>;
  /** Why another payment could not be signed; empty if there was no reason to. */
  fault(): string;
}

export const noReplacement: Replacement = { sign: async () => undefined, fault: () => '' };

/**
 * Other networks of a new 402: one that cannot settle is not in it. If the service cannot answer at all, it returns no 402,
 * and nothing is signed.
 */
export function otherNetworks(session: PaymentSession, call: Call, earlier: EarlierPayments): Replacement {
  let fault = '';
  return {
    async sign() {
      if (fault !== '' || session.signal?.aborted || earlier.networks.size >= networksLimit) return undefined;
      const response = await post({ ...session, retry: { ...session.retry, attempts: 1 } }, call).catch(
        (): Attempt => ({ kind: 'lost', cause: undefined }),
      );
      const offer = response.kind === 'response' ? toOffer(response.headers.get('payment-required')) : undefined;
      if (!offer || session.signal?.aborted) return undefined;
      try {
        return await sign(session, offer, { firstCallFree: false, earlier });
      } catch (error) {
        if (!(error instanceof NoPaymentOptionError)) fault = describeFault(error);
        return undefined;
      }
    },
    fault: () => fault,
  };
}

function describeFault(error: unknown): string {
  if (error instanceof SpendLimitError)
    return ` A payment on another network would exceed spendLimit.${error.which}, because the first one counts until it expires.`;
  return ` Signing for another network failed: ${error instanceof Error ? error.message : String(error)}`;
}
