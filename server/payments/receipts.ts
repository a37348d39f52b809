import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { decodePaymentResponseHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { ResourceServerExtension } from '@x402/core/types';
import type { Hex } from 'viem';

/** Signs receipts of the x402 extension `offer-receipt`, and names the public key that verifies them. */
export interface ReceiptIssuer {
  /** DID URL of the key; `kid` of every receipt. */
  keyId: string;
  /** RFC 7517, for `/.well-known/jwks.json`. */
  jwks: { keys: object[] };
  /** DID Core, for `/.well-known/did.json`: it binds the key to this host. */
  didDocument: object;
  /**
   * The PAYMENT-RESPONSE header of a settled payment with a receipt in `extensions`.
   * @param path the path that was called; the receipt names its absolute address
   */
  addReceipt(paymentResponse: string, path: string): Promise<string>;
}

/** Every Ed25519 key in PKCS #8 begins with this; the 32 bytes of the seed follow (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * @param seed of an Ed25519 key, 32 bytes
 * @param baseUrl where clients reach the service; its host becomes the `did:web`
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
      // The extension reads nothing else of its context.
      const context = { result, transportContext: { request: { adapter } } } as unknown as Parameters<Enrich>[1];
      const receipt = await extension.enrichSettlementResponse?.({ includeTxHash: true }, context);
      if (!receipt) throw new TypeError('The published extension issued no receipt.');
      return encodePaymentResponseHeader({ ...result, extensions: { ...result.extensions, [extension.key]: receipt } });
    },
  };
}

/** Loaded with the first receipt: nothing else needs its packages. */
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
