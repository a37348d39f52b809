import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A key of Coinbase's Developer Platform. */
export interface CdpKey {
  keyId: string;
  /** Base64 of 64 bytes (Ed25519), or an EC private key as PEM. */
  keySecret: string;
}

/** The key secret is in neither of the two supported formats. The message does not contain it. */
export class CdpKeyError extends Error {
  override readonly name = 'CdpKeyError';
}

const lifetimeSeconds = 120;
/** PKCS #8 header of an Ed25519 private key (RFC 8410); the 32 bytes of the seed follow. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @throws {CdpKeyError} */
function openKey(secret: string): KeyObject {
  try {
    if (secret.includes('-----BEGIN')) {
      const key = createPrivateKey(secret.replaceAll('\\n', '\n'));
      if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
    } else {
      const bytes = Buffer.from(secret, 'base64');
      if (bytes.length === 64) {
        const der = Buffer.concat([pkcs8Prefix, bytes.subarray(0, 32)]);
        return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      }
    }
  } catch (cause) {
    throw new CdpKeyError('The CDP key secret cannot be decoded as a key.', { cause });
  }
  throw new CdpKeyError('The CDP key secret must be base64 of 64 bytes (Ed25519), or an EC key (P-256) as PEM.');
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs requests to the platform: a JWT for exactly one method and URL, valid for two minutes, with EdDSA or ES256
 * depending on the key. Source: the authentication page of the platform's API reference.
 *
 * @returns a function that returns the value of an `Authorization` header
 * @throws {CdpKeyError}
 */
export function createCdpSigner({ keyId, keySecret }: CdpKey, now: () => number): (method: string, url: URL) => string {
  const key = openKey(keySecret);
  const isEdwards = key.asymmetricKeyType === 'ed25519';

  return (method, { host, pathname }) => {
    const at = Math.floor(now() / 1000);
    const header = {
      alg: isEdwards ? 'EdDSA' : 'ES256',
      kid: keyId,
      typ: 'JWT',
      nonce: randomBytes(16).toString('hex'),
    };
    const claims = {
      sub: keyId,
      iss: 'cdp',
      aud: ['cdp_service'],
      uris: [`${method} ${host}${pathname}`],
      iat: at,
      nbf: at,
      exp: at + lifetimeSeconds,
    };
    const signed = `${part(header)}.${part(claims)}`;
    const signature = isEdwards
      ? sign(null, Buffer.from(signed), key)
      : sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `Bearer ${signed}.${signature.toString('base64url')}`;
  };
}
