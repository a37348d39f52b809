import { hashMessage, hexToBytes, keccak256, parseSignature, toHex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../../tests/support/signedPayments.ts';
import { openNative, openWasm, type Secp256k1, secp256k1 } from './secp256k1.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const digestOf = (index: number) => hashMessage(`message ${index}`);
const key = hexToBytes(keyOf(5));
const publicKey = hexToBytes(privateKeyToAccount(keyOf(5)).publicKey);
const implementations: [name: string, open: () => Promise<Secp256k1>][] = [
  ['the native addon', async () => openNative() as Secp256k1],
  ['WebAssembly', openWasm],
  ['the one of this platform', async () => secp256k1],
];

describe.each(implementations)('%s', (_name, open) => {
  test("computes viem's public key", async () => {
    expect(toHex((await open()).publicKey(key))).toBe(toHex(publicKey));
  });

  test("signs with viem's bytes, of both parities", async () => {
    const curve = await open();
    const parities = new Set<number>();
    for (let index = 0; index < 8; index += 1) {
      const { r, s, yParity } = await sign({ hash: digestOf(index), privateKey: keyOf(5) });
      const own = curve.sign(hexToBytes(digestOf(index)), key);
      expect([toHex(own.signature), own.recovery]).toEqual([`${r}${s.slice(2)}`, yParity]);
      parities.add(own.recovery);
    }
    expect(parities.size).toBe(2);
  });

  test('recovers the uncompressed public key, and another one for the other parity', async () => {
    const { recover } = await open();
    const digest = hexToBytes(digestOf(1));
    const { r, s, yParity } = parseSignature(await sign({ hash: digestOf(1), privateKey: keyOf(5), to: 'hex' }));
    const signature = hexToBytes(`${r}${s.slice(2)}`);
    expect(toHex(recover(digest, signature, yParity as 0 | 1) ?? new Uint8Array())).toBe(toHex(publicKey));
    expect(recover(digest, signature, (1 - yParity) as 0 | 1)).not.toEqual(
      recover(digest, signature, yParity as 0 | 1),
    );
    expect(toHex(recover(hexToBytes(keccak256('0x')), signature, yParity as 0 | 1) ?? new Uint8Array())).not.toBe(
      toHex(publicKey),
    );
  });

  test.each([
    ['r and s of zero', 0n, 0n],
    ['an r of zero', 0n, 1n],
    ['an s of zero', 1n, 0n],
    ['an r of the order', order, 1n],
    ['an s of the order', 1n, order],
    ['an r that is no point', 5n, 1n],
  ])('recovers nothing from %s', async (_case, r, s) => {
    const { recover } = await open();
    const signature = hexToBytes(`0x${r.toString(16).padStart(64, '0')}${s.toString(16).padStart(64, '0')}`);
    expect(recover(hexToBytes(digestOf(1)), signature, 0)).toBeUndefined();
  });

  test('recovers nothing from bytes of another length', async () => {
    expect((await open()).recover(hexToBytes(digestOf(1)), new Uint8Array(63), 0)).toBeUndefined();
  });

  test.each([0n, order])('error: the private key %s is none', async (scalar) => {
    const curve = await open();
    expect(() => curve.publicKey(hexToBytes(`0x${scalar.toString(16).padStart(64, '0')}`))).toThrow();
  });
});

test('names a private key that is none', async () => {
  const curve = await openWasm();
  expect(() => curve.publicKey(hexToBytes(`0x${(order + 1n).toString(16)}`))).toThrow(/private/i);
});
