import { PaymentPayloadV2Schema } from '@x402/core/schemas';
import { Base64EncodedRegex } from '@x402/core/utils';
import { canonicalJson } from '../../router/index.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';

/** x402's `accepted`: the terms that the client echoes. Compared with the offer before use. */
export interface AcceptedTerms {
  scheme: string;
  /** CAIP-2. */
  network: `${string}:${string}`;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** An x402 v2 payment. The scheme's `payload` is not decoded yet. */
export interface PaymentEnvelope {
  accepted: AcceptedTerms;
  payload: Record<string, unknown>;
  /** The whole payload with sorted keys, for the fingerprint. */
  canonicalPayload: string;
  extensions: Record<string, unknown>;
}

/** Characters. Node accepts 16 KiB of headers in total; a payment with echoed extensions has about 3 KiB. */
const headerLimit = 12_288;
/** Levels of nesting. A scheme's payload has four; extensions that clients echo are schemas, with more. */
const depthLimit = 40;

/** @throws {MalformedPaymentError} the nesting could overflow the stack */
function canonicalPayment(json: unknown): string {
  try {
    return canonicalJson(json, depthLimit);
  } catch (cause) {
    throw new MalformedPaymentError(`PAYMENT-SIGNATURE is nested deeper than ${depthLimit} levels.`, { cause });
  }
}

function parseJson(header: string): unknown {
  if (header.length > headerLimit) {
    throw new MalformedPaymentError(`PAYMENT-SIGNATURE has ${header.length} characters; the limit is ${headerLimit}.`);
  }
  if (!Base64EncodedRegex.test(header)) throw new MalformedPaymentError('PAYMENT-SIGNATURE is not base64.');
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch (error) {
    throw new MalformedPaymentError('PAYMENT-SIGNATURE does not contain JSON in base64.', { cause: error });
  }
}

function toEnvelope(json: unknown): PaymentEnvelope {
  const envelope = PaymentPayloadV2Schema.safeParse(json);
  if (!envelope.success) {
    const issue = envelope.error.issues[0];
    throw new MalformedPaymentError(
      `PAYMENT-SIGNATURE is not an x402 v2 payment: ${issue?.path.join('.')}: ${issue?.message}`
        .slice(0, 200)
        .replace(/\.?$/, '.'),
    );
  }
  const { accepted, payload, extensions } = envelope.data;
  return {
    accepted: { ...accepted, network: accepted.network as AcceptedTerms['network'], extra: accepted.extra ?? {} },
    payload,
    canonicalPayload: canonicalPayment(json),
    extensions: extensions ?? {},
  };
}

/**
 * Decodes the fields that all x402 v2 payments share.
 *
 * @throws {MalformedPaymentError}
 */
export function decodeEnvelope(header: string): PaymentEnvelope {
  return toEnvelope(parseJson(header));
}

/** Encodes a payment for `decodeStored`, without the resource and the extensions that the client echoed. */
export function encodeStored(terms: AcceptedTerms, payload: Record<string, unknown>): string {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = terms;
  const accepted = { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra };
  return canonicalJson({ x402Version: 2, accepted, payload });
}

/** Decodes the payload of a ledger row. @throws {MalformedPaymentError} an earlier version wrote another format */
export function decodeStored(canonicalPayload: string): PaymentEnvelope {
  return toEnvelope(JSON.parse(canonicalPayload));
}
