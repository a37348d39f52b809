import { createPublicKey, verify } from 'node:crypto';
import { decodePaymentResponseHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import { createReceiptIssuer } from './receipts.ts';

const seed = `0x${'07'.repeat(32)}` as const;
const response = encodePaymentResponseHeader({
  success: true,
  transaction: '0xpaid',
  network: 'eip155:8453',
  payer: '0xPayer',
  extensions: { other: 1 },
});

test('the published key verifies the receipt of a settled payment, which contains the called URL', async () => {
  const issuer = createReceiptIssuer(seed, 'https://api.example:8443/base');
  const header = await issuer.addReceipt(response, '/v1/quote');
  const { extensions, ...settled } = decodePaymentResponseHeader(header);
  expect(settled).toEqual({ success: true, transaction: '0xpaid', network: 'eip155:8453', payer: '0xPayer' });
  expect(Object.keys(extensions ?? {}).toSorted()).toEqual(['offer-receipt', 'other']);
  const [jws = ''] = JSON.stringify(extensions).match(/[\w-]+\.[\w-]+\.[\w-]+/) ?? [];
  const [head = '', body = '', signature = ''] = jws.split('.');
  const [jwk] = issuer.jwks.keys as { kid: string }[];
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ alg: 'EdDSA', kid: issuer.keyId });
  expect(Buffer.from(body, 'base64url').toString()).toContain('https://api.example:8443/v1/quote');
  expect(Buffer.from(body, 'base64url').toString()).toContain('0xpaid');
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  expect(verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
});

test('publishes the key for its host, by its RFC 7638 thumbprint', () => {
  const { keyId, jwks, didDocument } = createReceiptIssuer(seed, 'https://api.example:8443/base');
  const [did, thumbprint] = keyId.split('#');
  expect(did).toBe('did:web:api.example%3A8443');
  expect(thumbprint).toMatch(/^[\w-]{43}$/);
  expect(createReceiptIssuer(seed, 'https://other.example').keyId).toBe(`did:web:other.example#${thumbprint}`);
  expect(createReceiptIssuer(`0x${'08'.repeat(32)}`, 'https://other.example').keyId).not.toContain(thumbprint);
  const [jwk] = jwks.keys;
  expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', kid: keyId, alg: 'EdDSA', use: 'sig' });
  expect(jwk).not.toHaveProperty('d');
  expect(didDocument).toEqual({
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: [{ id: keyId, type: 'JsonWebKey2020', controller: did, publicKeyJwk: jwk }],
    assertionMethod: [keyId],
  });
});
