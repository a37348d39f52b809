import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { CdpKeyError, createCdpSigner } from './cdpToken.ts';

const url = new URL('https://api.cdp.coinbase.com/platform/v2/x402/verify?x=1');
const parse = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

const edwards = generateKeyPairSync('ed25519');
const seedOf = (key: typeof edwards.privateKey) => key.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
const publicOf = (key: typeof edwards.publicKey) => key.export({ format: 'der', type: 'spki' }).subarray(-32);
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = elliptic.privateKey.export({ format: 'pem', type: 'sec1' }).toString();

test.each([
  [
    'EdDSA',
    Buffer.concat([seedOf(edwards.privateKey), publicOf(edwards.publicKey)]).toString('base64'),
    edwards.publicKey,
  ],
  ['ES256', pem, elliptic.publicKey],
  ['ES256', pem.replaceAll('\n', '\\n'), elliptic.publicKey],
] as const)(
  'default: the %s token is valid for one method and URL, and its signature verifies',
  (alg, keySecret, publicKey) => {
    const signRequest = createCdpSigner({ keyId: 'organizations/a/apiKeys/b', keySecret }, () => 1_800_000_000_500);
    const authorization = signRequest('POST', url);
    const [header, claims, signature] = authorization.replace(/^Bearer /, '').split('.');
    expect(parse(header)).toEqual({
      alg,
      kid: 'organizations/a/apiKeys/b',
      typ: 'JWT',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(parse(claims)).toEqual({
      sub: 'organizations/a/apiKeys/b',
      iss: 'cdp',
      aud: ['cdp_service'],
      uris: ['POST api.cdp.coinbase.com/platform/v2/x402/verify'],
      iat: 1_800_000_000,
      nbf: 1_800_000_000,
      exp: 1_800_000_120,
    });
    const key = {
      key: createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
      dsaEncoding: 'ieee-p1363' as const,
    };
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify(alg === 'EdDSA' ? null : 'sha256', signed, key, Buffer.from(signature ?? '', 'base64url'))).toBe(
      true,
    );
    expect(signRequest('POST', url)).not.toBe(authorization);
  },
);

test('error: CdpKeyError keeps the reason why a key cannot be decoded, and rejects other curves', () => {
  const open = (keySecret: string) => () => createCdpSigner({ keyId: 'k', keySecret }, Date.now);
  const broken = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----';
  expect(open(broken)).toThrow(
    expect.objectContaining({ message: expect.stringContaining('cannot be decoded'), cause: expect.any(Error) }),
  );
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  expect(open(privateKey.export({ format: 'pem', type: 'sec1' }).toString())).toThrow('must be base64 of 64 bytes');
});

test.each([
  '',
  'secret',
  Buffer.alloc(32).toString('base64'),
  '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----',
])('error: CdpKeyError without the secret for %j', (keySecret) => {
  const open = () => createCdpSigner({ keyId: 'k', keySecret }, Date.now);
  expect(open).toThrow(CdpKeyError);
  expect(open).not.toThrow(/AA==|secret"/);
});
