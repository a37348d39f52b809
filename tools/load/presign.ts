import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { PaymentPayload } from '@x402/core/types';
import { hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { authorizationDigest, domainSeparator } from '../../server/payments/index.ts';
import { signOffer } from './buyOnce.ts';

/** The native binding of npm secp256k1, which has no types. */
const native = createRequire(import.meta.url)('secp256k1/bindings.js') as {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
};

/** Payments rotate over several wallets, as those of different clients do. */
const walletCount = 10;

/**
 * Signs payments for a URL, each with a new nonce. The client of @x402/fetch signs one payment per wallet. The others
 * are copies with another nonce, signed natively: 20,000 take a few seconds.
 * @returns PAYMENT-SIGNATURE headers
 */
export async function presign(url: string, count: number): Promise<string[]> {
  const templates = await Promise.all(
    Array.from({ length: walletCount }, async () => {
      const key = generatePrivateKey();
      return { key: hexToBytes(key), payload: await signOffer(url, privateKeyToAccount(key)) };
    }),
  );
  return Array.from({ length: count }, (_, index) => {
    const template = templates[index % walletCount];
    if (!template) throw new TypeError(`Wallet ${index % walletCount} does not exist.`);
    return toHeader(signCopy(template.payload, template.key));
  });
}

type Authorization = Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>;

/** Copies a payment with a new nonce. */
function signCopy(payload: PaymentPayload, key: Uint8Array): PaymentPayload {
  const { accepted } = payload;
  const { name, version } = accepted.extra as { name: string; version: string };
  const { authorization } = payload.payload as { authorization: Authorization };
  const nonce = `0x${randomBytes(32).toString('hex')}` as const;
  const separator = domainSeparator({
    name,
    version,
    chainId: Number(accepted.network.split(':')[1]),
    verifyingContract: accepted.asset as `0x${string}`,
  });
  const digest = authorizationDigest(separator, {
    from: authorization.from as `0x${string}`,
    to: authorization.to as `0x${string}`,
    value: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    nonce,
    signature: '0x',
  });
  const { signature, recid } = native.ecdsaSign(digest, key);
  const hex = `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`;
  return { ...payload, payload: { signature: hex, authorization: { ...authorization, nonce } } };
}

const toHeader = (payload: PaymentPayload): string => Buffer.from(JSON.stringify(payload)).toString('base64');
