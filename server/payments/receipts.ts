import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { decodePaymentResponseHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { ResourceServerExtension } from '@x402/core/types';
import type { Hex } from 'viem';

/** Signs receipts of the x402 extension `offer-receipt`, and publishes the key that verifies them. */
export interface ReceiptIssuer {
  /** DID URL of the key; `kid` of every receipt. */
  keyId: string;
  /** JWK Set (RFC 7517) for `/.well-known/jwks.json`. */
  jwks: { keys: object[] };
  /** DID document for `/.well-known/did.json`; binds the key to this host. */
  didDocument: object;
  /**
   * Adds a receipt to `extensions` of a settled payment's PAYMENT-RESPONSE.
   * @param path the path that was called; the receipt contains its absolute URL
   */
  addReceipt(paymentResponse: string, path: string): Promise<string>;
}

/** PKCS #8 header of an Ed25519 private key (RFC 8410); the 32 bytes of the seed follow. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * @param seed 32 bytes of an Ed25519 key
 * @param baseUrl the service's public URL; its host becomes the `did:web`
 */
export function createReceiptIssuer(seed: Hex, baseUrl: string): ReceiptIssuer {
  const der = Buffer.concat([pkcs8Prefix, Buffer.from(seed.slice(2), 'hex')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { crv, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  // RFC 7638: the members of the thumbprint in this order.
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv, kty: 'OKP', x }))
    .digest('base64url');
  const did = `did:web:${encodeURIComponent(new URL(baseUrl).host)}`;
  const keyId = `${did}#${thumbprint}`;
  const jwk = { kty: 'OKP', crv, x, kid: keyId, alg: 'EdDSA', use: 'sig' };
  let loading: Promise<ResourceServerExtension> | undefined;

  return {
    keyId,
    jwks: { keys: [jwk] },
    didDocument: {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: did,
      verificationMethod: [{ id: keyId, type: 'JsonWebKey2020', controller: did, publicKeyJwk: jwk }],
      assertionMethod: [keyId],
    },
    async addReceipt(paymentResponse, path) {
      loading ??= loadExtension(keyId, privateKey);
      const extension = await loading.catch((error) => {
        loading = undefined;
        throw error;
      });
      const result = decodePaymentResponseHeader(paymentResponse);
      const adapter = { getUrl: () => new URL(path, baseUrl).href };
      type Enrich = NonNullable<ResourceServerExtension['enrichSettlementResponse']>;
      // The extension reads only these fields of its context.
      const context = { result, transportContext: { request: { adapter } } } as unknown as Parameters<Enrich>[1];
      const receipt = await extension.enrichSettlementResponse?.({ includeTxHash: true }, context);
      if (!receipt) throw new TypeError('The published extension issued no receipt.');
      return encodePaymentResponseHeader({ ...result, extensions: { ...result.extensions, [extension.key]: receipt } });
    },
  };
}

/** Imported with the first receipt, because only receipts need these packages. */
async function loadExtension(kid: string, privateKey: KeyObject): Promise<ResourceServerExtension> {
  const { createJWSOfferReceiptIssuer, createOfferReceiptExtension } = await import('@x402/extensions/offer-receipt');
  return createOfferReceiptExtension(
    createJWSOfferReceiptIssuer(kid, {
      kid,
      format: 'jws',
      algorithm: 'EdDSA',
      sign: async (bytes) => sign(null, bytes, privateKey).toString('base64url'),
    }),
  );
}
