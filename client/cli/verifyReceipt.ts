import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { TruefillError } from '../errors.ts';
import { isRecord } from '../pay/isRecord.ts';
import { decodeHeader } from '../pay/receipt.ts';
import { table } from './tables.ts';
import { UsageError } from './usageError.ts';

/** A verified receipt of the x402 extension `offer-receipt`, version 1. */
export interface VerifiedReceipt {
  resourceUrl: string;
  payer: string;
  network: string;
  transaction: string | undefined;
  /** Unix seconds. */
  issuedAt: number;
  /** DID URL of the key that signed the receipt. */
  keyId: string;
}

class InvalidReceiptError extends TruefillError {
  override readonly name = 'InvalidReceiptError';
}

const expected =
  'Expected a receipt: a response with its headers, as `curl -si` prints it, the value of its PAYMENT-RESPONSE header, or the JWS.';

/**
 * Verifies a signed receipt.
 * @param from a file, or the text itself: a response with its headers, PAYMENT-RESPONSE or the JWS
 * @param keyFrom file or URL of the public key (JWK, JWKS or DID document); by default the DID document of the host
 * @throws {UsageError} the arguments contain no receipt or no key
 * @throws {InvalidReceiptError} the signature, the receipt or the key is invalid, or the key cannot be fetched
 */
export async function verifyReceipt(from: string, keyFrom: string | undefined): Promise<VerifiedReceipt> {
  const jws = findJws(await readText(from));
  const [header = '', payload = '', signature = ''] = jws.split('.');
  const { alg, kid } = decodePart(header);
  if (alg !== 'EdDSA') throw new InvalidReceiptError(`The receipt is signed with ${String(alg)}, not with EdDSA.`);
  if (typeof kid !== 'string') throw new InvalidReceiptError('The receipt contains no key id (kid).');

  const key = await loadKey(keyFrom ?? didDocumentUrl(kid), kid);
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))
    throw new InvalidReceiptError(`The signature does not match ${kid}: the receipt was changed, or the key is wrong.`);

  const { version, resourceUrl, payer, network, transaction, issuedAt } = decodePart(payload);
  const isComplete = [resourceUrl, payer, network].every((field) => typeof field === 'string');
  if (version !== 1 || !isComplete || typeof issuedAt !== 'number')
    throw new InvalidReceiptError('The signed text is not a receipt of version 1.');
  assertOwnHost(kid, String(resourceUrl));
  return {
    resourceUrl: String(resourceUrl),
    payer: String(payer),
    network: String(network),
    transaction: transaction === undefined ? undefined : String(transaction),
    issuedAt,
    keyId: kid,
  };
}

/** Formats a verified receipt for the terminal. */
export function showReceipt({ issuedAt, ...receipt }: VerifiedReceipt): string {
  return [
    'The signature is valid, and its key id names the host of the resource.',
    '',
    table([
      ['resource', receipt.resourceUrl],
      ['payer', receipt.payer],
      ['network', receipt.network],
      ['transaction', receipt.transaction],
      ['issued', new Date(issuedAt * 1000).toISOString()],
      ['key', receipt.keyId],
    ]),
  ].join('\n');
}

/** If the file does not exist, the argument is the receipt itself. */
async function readText(from: string): Promise<string> {
  return readFile(from, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') return from;
    throw new UsageError(`The file with the receipt cannot be read (${error.code}).`);
  });
}

const jwsForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function findJws(text: string): string {
  const value = (/^payment-response:[ \t]*(\S+)/im.exec(text)?.[1] ?? text).trim();
  if (jwsForm.test(value)) return value;
  const decoded = value.startsWith('{') ? parseJson(value) : decodeHeader(value);
  if (!isRecord(decoded)) throw new UsageError(expected);
  const jws = findSignature(decoded);
  if (typeof jws === 'string' && jwsForm.test(jws)) return jws;
  throw new UsageError('This PAYMENT-RESPONSE contains no signed receipt. Free calls have none.');
}

/** Finds the JWS in a decoded PAYMENT-RESPONSE, or in the receipt object itself. */
function findSignature({ extensions, signature }: Record<string, unknown>): unknown {
  const extension = isRecord(extensions) ? extensions['offer-receipt'] : undefined;
  const info = isRecord(extension) ? extension.info : undefined;
  const receipt = isRecord(info) ? info.receipt : undefined;
  return isRecord(receipt) ? receipt.signature : signature;
}

/** @throws {UsageError} @throws {InvalidReceiptError} the key cannot be fetched, or the document does not contain it */
async function loadKey(from: string, kid: string) {
  const text = /^https?:/.test(from) ? await fetchText(from) : await readKeyFile(from);
  const document = parseJson(text);
  if (!isRecord(document)) throw new UsageError(`${from} contains no JSON with a key.`);
  const jwk = candidateKeys(document).find((key) => key.kid === undefined || key.kid === kid);
  if (!jwk) throw new InvalidReceiptError(`${from} has no key ${kid}.`);
  if (jwk.crv !== 'Ed25519') throw new UsageError(`The key ${kid} in ${from} is not an Ed25519 key.`);
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    throw new UsageError(`The key ${kid} in ${from} is not a public key in JWK format.`, { cause });
  }
}

/** The keys of a DID document, of a JWKS, or a single JWK. */
function candidateKeys(document: Record<string, unknown>): Record<string, unknown>[] {
  const { keys, verificationMethod } = document;
  if (Array.isArray(verificationMethod))
    return verificationMethod
      .filter(isRecord)
      .flatMap(({ id, publicKeyJwk }) => (isRecord(publicKeyJwk) ? [{ ...publicKeyJwk, kid: id }] : []));
  return Array.isArray(keys) ? keys.filter(isRecord) : [document];
}

async function readKeyFile(from: string): Promise<string> {
  return readFile(from, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The file with the key, ${from}, cannot be read (${error.code}).`);
  });
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (response.ok) return await response.text();
    throw new InvalidReceiptError(`${url} returned ${response.status}. Pass the key with --key.`);
  } catch (cause) {
    if (cause instanceof InvalidReceiptError) throw cause;
    throw new InvalidReceiptError(`${url} cannot be reached. Pass the key with --key.`, { cause });
  }
}

/** The host of a `did:web` key; undefined for any other DID. @throws {InvalidReceiptError} malformed percent-encoding */
function hostOf(kid: string): string | undefined {
  const encoded = /^did:web:([\w.%-]+)#/.exec(kid)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch (cause) {
    throw new InvalidReceiptError(`The key id ${kid} has a malformed percent-encoding.`, { cause });
  }
}

function didDocumentUrl(kid: string): string {
  const host = hostOf(kid);
  if (host === undefined) throw new UsageError(`The key ${kid} is not a did:web key of a host. Pass it with --key.`);
  // Like the did:web method of the x402 packages: plain HTTP on localhost only.
  const scheme = /^(localhost|127\.0\.0\.1)(:|$)/.test(host) ? 'http' : 'https';
  return `${scheme}://${host}/.well-known/did.json`;
}

/** Asserts that the key belongs to the receipt's host, because anyone can sign a receipt for any URL. */
function assertOwnHost(kid: string, resourceUrl: string): void {
  const host = URL.canParse(resourceUrl) ? new URL(resourceUrl).host : resourceUrl;
  if (hostOf(kid) === host) return;
  throw new InvalidReceiptError(`The receipt is for ${host}, but its key ${kid} does not belong to that host.`);
}

function decodePart(part: string): Record<string, unknown> {
  const decoded = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  if (!isRecord(decoded))
    throw new InvalidReceiptError('The receipt is not a JWS: its header and payload must be JSON objects.');
  return decoded;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
