import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { PaymentPayload } from '@x402/core/types';
import { hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { authorizationDigest, domainSeparator } from '../../server/payments/index.ts';
import { signOffer } from './buyOnce.ts';

/** libsecp256k1 as a native addon; its bindings have no types. */
const native = createRequire(import.meta.url)('secp256k1/bindings.js') as {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
};

/** Payments rotate over ten wallets, so that no single wallet is a special case. */
const walletCount = 10;

/**
 * PAYMENT-SIGNATURE headers for one path, each a new payment. The published client makes the first of each wallet; the
 * others copy it with another nonce. Native signing makes 20,000 in a few seconds.
 */
export async function presign(url: string, count: number): Promise<string[]> {
  const patterns = await Promise.all(
    Array.from({ length: walletCount }, async () => {
      const key = generatePrivateKey();
      return { key: hexToBytes(key), payload: await signOffer(url, privateKeyToAccount(key)) };
    }),
  );
  return Array.from({ length: count }, (_, index) => {
    const pattern = patterns[index % walletCount];
    if (!pattern) throw new TypeError('There is no such wallet.');
    return toHeader(signAnew(pattern.payload, pattern.key));
  });
}

type Authorization = Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>;

function signAnew(payload: PaymentPayload, key: Uint8Array): PaymentPayload {
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
