import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A key of Coinbase's Developer Platform. */
export interface CdpKey {
  keyId: string;
  /** Base64 of 64 bytes (Ed25519), or an EC private key as PEM. */
  keySecret: string;
}

/** The secret is of neither form that the platform hands out. The message does not repeat it. */
export class CdpKeyError extends Error {
  override readonly name = 'CdpKeyError';
}

const lifetimeSeconds = 120;
/** What comes before the 32 bytes of a seed in PKCS #8 (RFC 8410). */
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
    throw new CdpKeyError('The CDP key secret cannot be read as a key.', { cause });
  }
  throw new CdpKeyError('The CDP key secret must be base64 of 64 bytes (Ed25519), or an EC key (P-256) as PEM.');
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs requests as the platform wants them: a JWT for exactly one method and URL, valid for two minutes.
 * EdDSA or ES256, as the key is. Source: the authentication page of its API reference.
 *
 * @throws {CdpKeyError}
 * @returns the value of an `Authorization` header
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
