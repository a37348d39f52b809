import { authorizationTypes } from '@x402/evm';
import { hashTypedData, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test } from 'vitest';
import { authorizationDigest, domainSeparator, recoverSigner, type SignedAuthorization } from './authorization.ts';
import { openNative, openWasm, type RecoverKey } from './secp256k1.ts';

const domain = {
  name: 'USD Coin',
  version: '2',
  chainId: 8453,
  verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
} as const;
const account = privateKeyToAccount(generatePrivateKey());
const unsigned: SignedAuthorization = {
  from: account.address,
  to: '0x2222222222222222222222222222222222222222',
  value: 20_000n,
  validAfter: 0n,
  validBefore: 2n ** 256n - 1n,
  nonce: `0x${'ab'.repeat(32)}`,
  signature: '0x',
};
const typedData = {
  domain,
  types: authorizationTypes,
  primaryType: 'TransferWithAuthorization',
  message: unsigned,
} as const;

/** Requires the native addon on this machine. Without it, the service uses WebAssembly. */
const implementations: Record<string, RecoverKey | undefined> = { native: openNative()?.recover };
beforeAll(async () => {
  implementations.wasm = (await openWasm()).recover;
});
const implementation = (name: string): RecoverKey => {
  const found = implementations[name];
  if (!found) throw new Error(`The ${name} implementation is not available.`);
  return found;
};

test("default: the digest equals viem's hashTypedData", () => {
  expect(toHex(authorizationDigest(domainSeparator(domain), unsigned))).toBe(hashTypedData(typedData));
});

test.each(['native', 'wasm'])('default: %s recovers the signer', async (name) => {
  const digest = authorizationDigest(domainSeparator(domain), unsigned);
  const signers = Array.from({ length: 8 }, () => privateKeyToAccount(generatePrivateKey()));
  for (const signer of [account, ...signers]) {
    const signature = await signer.signTypedData(typedData);
    expect(recoverSigner(digest, signature, implementation(name))).toBe(signer.address.toLowerCase());
    expect(recoverSigner(new Uint8Array(32), signature, implementation(name))).not.toBe(signer.address.toLowerCase());
  }
});

test('default: the domain separator changes with every part of the domain', () => {
  const separators = [
    domain,
    { ...domain, name: 'USDC' },
    { ...domain, version: '1' },
    { ...domain, chainId: 137 },
    { ...domain, verifyingContract: account.address },
  ].map(domainSeparator);
  expect(new Set(separators).size).toBe(5);
});

test.each([
  ['without bytes', '0x'],
  ['of 64 bytes', `0x${'11'.repeat(64)}`],
  ['with r and s of zero', `0x${'00'.repeat(64)}1b`],
  ['with r beyond the field', `0x${'ff'.repeat(32)}${'00'.repeat(31)}011b`],
  ['with v of 0', `0x${'11'.repeat(64)}00`],
])('behavior: rejects a signature %s', (_name, signature) => {
  for (const name of ['native', 'wasm']) {
    const digest = new Uint8Array(32).fill(0x11);
    expect(recoverSigner(digest, signature as `0x${string}`, implementation(name))).toBeUndefined();
  }
});

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const halfOrder = order / 2n;
const digits = (value: bigint) => value.toString(16).padStart(64, '0');

test("behavior: rejects a signature that only USDC's rule of a low s forbids", async () => {
  const digest = authorizationDigest(domainSeparator(domain), unsigned);
  const signature = await account.signTypedData(typedData);
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const otherV = signature.endsWith('1b') ? '1c' : '1b';
  const malleated = `${signature.slice(0, 66)}${digits(order - s)}${otherV}` as const;
  // The same key by plain recovery, so only the rule rejects it.
  const key = openNative()?.recover(digest, Buffer.from(malleated.slice(2, 130), 'hex'), otherV === '1b' ? 0 : 1);
  expect(toHex(key ?? new Uint8Array())).toBe(account.publicKey);
  expect(recoverSigner(digest, malleated as `0x${string}`)).toBeUndefined();
});

test('behavior: the highest s that USDC accepts is half of the order', () => {
  const digest = new Uint8Array(32).fill(0x11);
  // The x coordinate of the generator is a valid r.
  const r = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
  const signatureOf = (s: bigint) => `0x${digits(r)}${digits(s)}1b` as const;
  expect(recoverSigner(digest, signatureOf(halfOrder))).toMatch(/^0x[0-9a-f]{40}$/);
  expect(recoverSigner(digest, signatureOf(halfOrder + 1n))).toBeUndefined();
});

test.each(['1a', '1d', '01', 'ff'])('behavior: rejects a v of 0x%s', async (v) => {
  const digest = authorizationDigest(domainSeparator(domain), unsigned);
  const signature = await account.signTypedData(typedData);
  expect(recoverSigner(digest, `${signature.slice(0, 130)}${v}` as `0x${string}`)).toBeUndefined();
  expect(recoverSigner(digest, `${signature}00`)).toBeUndefined();
});

test('default: the digest has a word for each part of the authorization', () => {
  const separator = domainSeparator(domain);
  const changes: Partial<SignedAuthorization>[] = [
    {},
    { from: unsigned.to },
    { to: account.address },
    { value: 1n },
    { validAfter: 1n },
    { validBefore: 1n },
    { nonce: `0x${'01'.repeat(32)}` },
  ];
  const digests = changes.map((change) => {
    const message = { ...unsigned, ...change };
    const digest = toHex(authorizationDigest(separator, message));
    expect(digest).toBe(hashTypedData({ ...typedData, message }));
    return digest;
  });
  expect(new Set(digests).size).toBe(changes.length);
});
