import { PaymentPayloadV2Schema } from '@x402/core/schemas';
import { Base64EncodedRegex } from '@x402/core/utils';
import { type Address, type Hex, isAddress } from 'viem';
import { z } from 'zod';
import type { SignedAuthorization } from './evm/authorization.ts';

/** The header is no x402 v2 payment: told as 400, whatever it was meant to be. */
export class MalformedPaymentError extends Error {
  override readonly name = 'MalformedPaymentError';
}

/** What the payer says to have accepted; compared with the offer before anything is believed. */
export interface AcceptedTerms {
  scheme: string;
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** An x402 v2 payload whose scheme has not been looked at yet. */
export interface PaymentEnvelope {
  accepted: AcceptedTerms;
  payload: unknown;
  /** The whole with sorted keys: what the fingerprint and the ledger hold. */
  canonicalPayload: string;
}

/** Node itself stops at 16 KiB of headers; a payment with echoed extensions takes about 3. */
const headerLimit = 12_288;
/** A WebAuthn signature of a contract wallet takes under 1 KiB. */
const signatureBytesLimit = 2_048;

const address = z.custom<Address>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
  'no address',
);
const uint256 = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'no decimal integer')
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n, 'exceeds uint256');
const hex = (pattern: RegExp) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), 'no such hex');

const authorizationSchema = z.object({
  signature: hex(new RegExp(`^0x(?:[0-9a-fA-F]{2}){1,${signatureBytesLimit}}$`)),
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: hex(/^0x[0-9a-fA-F]{64}$/),
  }),
});

/** A payload of the scheme is four deep; extensions that clients echo are schemas, and deeper. */
const depthLimit = 40;

function sortKeys(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (depth === 0) throw new MalformedPaymentError(`PAYMENT-SIGNATURE is nested deeper than ${depthLimit}.`);
  if (Array.isArray(value)) return value.map((part) => sortKeys(part, depth - 1));
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sortKeys(part, depth - 1)]));
}

/**
 * JSON with sorted keys, so that the same payload has one spelling.
 *
 * @throws {MalformedPaymentError} nested so deep that walking it could end the stack.
 */
function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value, depthLimit));
}

function parseJson(header: string): unknown {
  if (header.length > headerLimit) {
    throw new MalformedPaymentError(`PAYMENT-SIGNATURE has ${header.length} characters; the limit is ${headerLimit}.`);
  }
  if (!Base64EncodedRegex.test(header)) throw new MalformedPaymentError('PAYMENT-SIGNATURE is not base64.');
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch (error) {
    throw new MalformedPaymentError('PAYMENT-SIGNATURE is not base64 of JSON.', { cause: error });
  }
}

/**
 * Reads what every x402 v2 payment has.
 *
 * @throws {MalformedPaymentError}
 */
export function decodeEnvelope(header: string): PaymentEnvelope {
  const json = parseJson(header);
  const envelope = PaymentPayloadV2Schema.safeParse(json);
  if (!envelope.success) {
    const issue = envelope.error.issues[0];
    throw new MalformedPaymentError(
      `PAYMENT-SIGNATURE is no x402 v2 payload: ${issue?.path.join('.')}: ${issue?.message}`.slice(0, 200),
    );
  }
  const { accepted, payload } = envelope.data;
  return { accepted: { ...accepted, extra: accepted.extra ?? {} }, payload, canonicalPayload: canonicalJson(json) };
}

export const isAuthorization = (payload: unknown): boolean => authorizationSchema.safeParse(payload).success;

/**
 * Reads the payload of scheme `exact` on an EVM network.
 *
 * @throws {MalformedPaymentError} no EIP-3009 authorization.
 */
export function parseAuthorization(payload: unknown): SignedAuthorization {
  const signed = authorizationSchema.safeParse(payload);
  if (!signed.success) {
    const issue = signed.error.issues[0];
    throw new MalformedPaymentError(
      `PAYMENT-SIGNATURE holds no EIP-3009 authorization: payload.${issue?.path.join('.')}: ${issue?.message}.`,
    );
  }
  return { ...signed.data.authorization, signature: signed.data.signature };
}

/** The authorization in a payload that the ledger kept. */
export function parseStoredAuthorization(canonicalPayload: string): SignedAuthorization {
  return parseAuthorization((JSON.parse(canonicalPayload) as { payload: unknown }).payload);
}
