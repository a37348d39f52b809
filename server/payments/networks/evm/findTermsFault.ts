import type { AcceptedTerms } from '../../decodePayment.ts';
import type { SignedAuthorization } from './authorization.ts';

/** Why an authorization does not match the terms: x402's code for PAYMENT-REQUIRED, and a sentence for the payer. */
export interface Mismatch {
  reason: string;
  detail: string;
  /** The authorization has expired, so it may have paid before. */
  mayHavePaid?: true;
}

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/**
 * Compares a signed authorization with the offered terms; undefined if it matches.
 *
 * @param nowSeconds unix time
 * @param marginSeconds minimum time until `validBefore`
 */
export function findTermsFault(
  offered: AcceptedTerms,
  signed: SignedAuthorization,
  nowSeconds: number,
  marginSeconds: number,
): Mismatch | undefined {
  if (!same(signed.to, offered.payTo)) {
    return {
      reason: 'invalid_exact_evm_recipient_mismatch',
      detail: `The authorization pays ${signed.to}; the terms require ${offered.payTo}. Sign a new one to that address.`,
    };
  }
  if (signed.value.toString() !== offered.amount) {
    return {
      reason: 'invalid_exact_evm_payload_authorization_value_mismatch',
      detail: `The authorization is for ${signed.value} units; the price is exactly ${offered.amount}. Sign a new one for that amount.`,
    };
  }
  if (signed.validAfter > BigInt(nowSeconds)) {
    return {
      reason: 'invalid_exact_evm_payload_authorization_valid_after',
      detail: `The authorization is valid only after ${signed.validAfter} (validAfter); the time is ${nowSeconds}. Send it again then, or sign one that is valid now.`,
    };
  }
  if (signed.validBefore < BigInt(nowSeconds + marginSeconds)) {
    return {
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
      detail: `The authorization expires at ${signed.validBefore} (validBefore); at ${nowSeconds} at least ${marginSeconds} s must be left. If you have sent it before, look up whether it paid before you sign a new one.`,
      mayHavePaid: true,
    };
  }
  return undefined;
}
