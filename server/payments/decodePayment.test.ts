import { describe, expect, test } from 'vitest';
import { decodeEnvelope, decodeStored, encodeStored } from './decodePayment.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';

const accepted = {
  scheme: 'exact',
  network: 'eip155:8453' as const,
  amount: '20000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x2222222222222222222222222222222222222222',
  maxTimeoutSeconds: 180,
  extra: { name: 'USD Coin' },
};
const payload = { signature: '0x01' };
const payment = { x402Version: 2, accepted, payload };
const toHeader = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64');
/** Arrays nested to this depth. */
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test('decodes a payment, with empty extensions and extra terms if it contains none', () => {
  expect(decodeEnvelope(toHeader(payment))).toMatchObject({ accepted, payload, extensions: {} });
  const { extra: _, ...terms } = accepted;
  expect(decodeEnvelope(toHeader({ ...payment, accepted: terms })).accepted.extra).toEqual({});
  expect(decodeEnvelope(toHeader({ ...payment, extensions: { a: 1 } })).extensions).toEqual({ a: 1 });
});

test('the canonical payload does not depend on the order of keys, and contains all of them', () => {
  const shuffled = { payload, extensions: { b: 1, a: 2 }, accepted, x402Version: 2 };
  const sorted = { x402Version: 2, accepted, payload, extensions: { a: 2, b: 1 } };
  const { canonicalPayload } = decodeEnvelope(toHeader(shuffled));
  expect(canonicalPayload).toBe(decodeEnvelope(toHeader(sorted)).canonicalPayload);
  expect(JSON.parse(canonicalPayload)).toEqual(sorted);
});

describe('rejects', () => {
  test.each([
    ['text that is not base64', 'no base64!', 'is not base64'],
    ['base64 without JSON', Buffer.from('{').toString('base64'), 'does not contain JSON'],
    ['an array', toHeader([]), 'is not an x402 v2 payment'],
    ['another version', toHeader({ ...payment, x402Version: 1 }), 'is not an x402 v2 payment: x402Version'],
    ['terms without an amount', toHeader({ ...payment, accepted: { ...accepted, amount: 7 } }), 'accepted.amount'],
  ])('%s', (_name, header, message) => {
    expect(() => decodeEnvelope(header)).toThrow(MalformedPaymentError);
    expect(() => decodeEnvelope(header)).toThrow(message);
  });

  test('a header above 12,288 characters', () => {
    const long = (length: number) => toHeader({ ...payment, extensions: { a: 'a'.repeat(length) } }).slice(0, 12_289);
    expect(long(9_000)).toHaveLength(12_289);
    expect(() => decodeEnvelope(long(9_000))).toThrow('PAYMENT-SIGNATURE has 12289 characters; the limit is 12288.');
    expect(() => decodeEnvelope(long(9_000).slice(1))).not.toThrow('the limit');
  });

  test('nesting that could overflow the stack', () => {
    const deep = (depth: number) => toHeader({ ...payment, payload: { a: nested(depth) } });
    expect(decodeEnvelope(deep(30)).payload).toEqual({ a: nested(30) });
    expect(() => decodeEnvelope(deep(60))).toThrow('PAYMENT-SIGNATURE is nested deeper than 40 levels.');
  });
});

test('a message about a payment ends with one full stop, after 200 characters at most', () => {
  const messageOf = (header: string): string => {
    try {
      decodeEnvelope(header);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const short = messageOf(toHeader({ ...payment, x402Version: 1 }));
  expect(short).toMatch(/[^.]\.$/);
  expect(messageOf(toHeader({ ...payment, accepted: null })).length).toBeLessThanOrEqual(201);
});

test('a stored payment is decoded to the same terms, without its resource and extensions', () => {
  const stored = encodeStored({ ...accepted, ...{ added: 1 } }, payload);
  expect(JSON.parse(stored)).toEqual(payment);
  expect(decodeStored(stored)).toMatchObject({ accepted, payload, extensions: {} });
  expect(() => decodeStored('{"v1":true}')).toThrow(MalformedPaymentError);
});
