import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyReceipt } from './verifyReceipt.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('error: InvalidReceiptError when the key id has a malformed percent-encoding', async () => {
  const jws = [encode({ alg: 'EdDSA', kid: 'did:web:host%zz#key' }), encode({}), 'AA'].join('.');
  await expect(verifyReceipt(jws, undefined)).rejects.toMatchObject({
    name: 'InvalidReceiptError',
    message: 'The key id did:web:host%zz#key has a malformed percent-encoding.',
  });
});

test('error: InvalidReceiptError also when the key is given', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-receipt-'));
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyFile = join(folder, 'key.json');
  await writeFile(keyFile, JSON.stringify(publicKey.export({ format: 'jwk' })));
  const receipt = { version: 1, resourceUrl: 'https://host/', payer: '0x', network: 'eip155:8453', issuedAt: 1 };
  const signed = `${encode({ alg: 'EdDSA', kid: 'did:web:%#key' })}.${encode(receipt)}`;
  const signature = sign(null, Buffer.from(signed), privateKey).toString('base64url');
  await expect(verifyReceipt(`${signed}.${signature}`, keyFile)).rejects.toMatchObject({ name: 'InvalidReceiptError' });
  await rm(folder, { recursive: true });
});
