import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { isRecord } from './isRecord.ts';
import { decodeHeader } from './receipt.ts';

/** A chain id of CAIP-2. */
const caip2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** An EVM address or a Solana public key. */
const address = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;

/** At most 15 digits, so that the amount is exact as a number. */
const baseUnits = /^\d{1,15}$/;

/** Permit2 would sign an approval that outlives the payment. */
const transferMethods = [undefined, 'eip3009'];

/** An escrow would hold more than the price. */
const paymentFlows = [undefined, 'authorization', 'upfront'];

/**
 * Decodes PAYMENT-REQUIRED, and omits options that are malformed or of another kind than a plain transfer. Undefined if it
 * does not contain the list `accepts` of x402 version 2.
 */
export function toOffer(header: string | null): PaymentRequired | undefined {
  const offer = decodeHeader(header);
  if (!isRecord(offer) || offer.x402Version !== 2 || !Array.isArray(offer.accepts)) return undefined;
  return { ...(offer as unknown as PaymentRequired), accepts: offer.accepts.filter(isTransfer) };
}

function isTransfer(option: unknown): option is PaymentRequirements {
  if (!isRecord(option) || option.scheme !== 'exact') return false;
  const { network, asset, amount, payTo, maxTimeoutSeconds, extra } = option;
  return (
    isText(network, caip2) &&
    isText(amount, baseUnits) &&
    isText(asset, address) &&
    isText(payTo, address) &&
    // A string would be appended to the time, not added.
    Number.isSafeInteger(maxTimeoutSeconds) &&
    Number(maxTimeoutSeconds) > 0 &&
    isRecord(extra) &&
    transferMethods.includes(extra.assetTransferMethod as undefined) &&
    paymentFlows.includes(extra.paymentFlow as undefined)
  );
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);
