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
