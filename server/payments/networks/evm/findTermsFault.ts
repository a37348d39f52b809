import type { AcceptedTerms } from '../../decodePayment.ts';
import type { SignedAuthorization } from './authorization.ts';

/** Why a payment does not fit: x402's code for the PAYMENT-REQUIRED header, and a sentence. */
export interface Mismatch {
  reason: string;
  detail: string;
  /** The authorization has expired: it may have been used before. */
  mayHavePaid?: true;
}

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/**
 * What the signed authorization lacks for the accepted terms; undefined when it fits.
 *
 * @param nowSeconds unix time
 * @param marginSeconds what must be left until `validBefore`
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
      detail: `The authorization pays ${signed.to}; this service is paid at ${offered.payTo}.`,
    };
  }
  if (signed.value.toString() !== offered.amount) {
    return {
      reason: 'invalid_exact_evm_payload_authorization_value_mismatch',
      detail: `The authorization is over ${signed.value} units; the price is exactly ${offered.amount}.`,
    };
  }
  if (signed.validAfter > BigInt(nowSeconds)) {
    return {
      reason: 'invalid_exact_evm_payload_authorization_valid_after',
      detail: `The authorization is valid only after ${signed.validAfter}; it is ${nowSeconds} now.`,
    };
  }
  if (signed.validBefore < BigInt(nowSeconds + marginSeconds)) {
    return {
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
      detail: `The authorization ends at ${signed.validBefore}; at ${nowSeconds} it must still have ${marginSeconds} s. If you have sent it before, look it up before you sign a new one.`,
      mayHavePaid: true,
    };
  }
  return undefined;
}
