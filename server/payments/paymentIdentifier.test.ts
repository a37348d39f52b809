import { expect, test } from 'vitest';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import { identifierDeclaration, readIdentifier } from './paymentIdentifier.ts';

const read = (extension: unknown) => readIdentifier({ extensions: { 'payment-identifier': extension } });

test('returns the identifier of a payment', () => {
  expect(read({ info: { id: 'order-0000000001' } })).toBe('order-0000000001');
});

test('a payment without one, and an echoed declaration, have no identifier', () => {
  expect(readIdentifier({ extensions: {} })).toBeUndefined();
  expect(read({ info: {} })).toBeUndefined();
  expect(readIdentifier({ extensions: identifierDeclaration() })).toBeUndefined();
});

// Ignored, such an identifier would let a client pay twice that relies on it.
test.each([
  ['a short one', { info: { id: 'short' } }],
  ['another type', { info: { id: 7 } }],
  ['other characters', { info: { id: 'order 0000000001' } }],
  ['no object', 'order-0000000001'],
  ['no info', {}],
  ['null', null],
])('rejects %s', (_, extension) => {
  expect(() => read(extension)).toThrow(MalformedPaymentError);
});
