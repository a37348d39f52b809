import { concat, encodeAbiParameters, type Hex } from 'viem';
import { serializeErc6492Signature } from 'viem/utils';
import { expect, test } from 'vitest';
import { MalformedPaymentError } from '../../malformedPaymentError.ts';
import { unwrapSignature } from './unwrapSignature.ts';

const suffix = `0x${'6492'.repeat(16)}` as const;
const inner: Hex = `0x${'ab'.repeat(65)}`;
const wrapped = serializeErc6492Signature({ address: `0x${'11'.repeat(20)}`, data: '0x1234', signature: inner });

test("returns the signature inside viem's ERC-6492 signature", () => {
  expect(unwrapSignature(wrapped)).toEqual({ signature: inner, wasWrapped: true });
});

test('returns the same signature if its letters are capital', () => {
  const upper = wrapped.toUpperCase().replace('0X', '0x') as Hex;
  expect(unwrapSignature(upper).signature.toLowerCase()).toBe(inner);
});

test.each<[string, Hex]>([
  ['a key', inner],
  ['nothing', '0x'],
  ['a suffix that is not at the end', concat([suffix, '0x00'])],
  ['a shorter suffix', `0x${suffix.slice(4)}`],
])('returns the signature of %s unchanged', (_name, signature) => {
  expect(unwrapSignature(signature)).toEqual({ signature, wasWrapped: false });
});

test.each<[string, Hex]>([
  ['the suffix alone', suffix],
  ['bytes that are no envelope', concat(['0xabcd', suffix])],
  [
    'an envelope of two values',
    concat([encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [`0x${'11'.repeat(20)}`, '0x']), suffix]),
  ],
])('error: %s', (_name, signature) => {
  expect(() => unwrapSignature(signature)).toThrow(MalformedPaymentError);
  expect(() => unwrapSignature(signature)).toThrow('payload.signature is not a valid ERC-6492 signature');
});
