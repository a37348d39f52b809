import { expect, test } from 'vitest';
import { matchesFingerprint, paymentFingerprint } from './paymentFingerprint.ts';
import type { PaymentAttempt } from './paymentTypes.ts';

const attempt: PaymentAttempt = {
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{"chain":"base"}',
  queryKey: 'base',
  paymentHeader: 'header',
};
const payload = '{"x402Version":2}';
/** Fingerprints in the ledgers of running services: sha256 of product, route, query key or input, and payload. */
const stored = {
  current: 'v2:a898eac931fdb8c13e126c18f1ccec5435e2f19b338f9ac143387d7121a2527e',
  earlier: '0d5c57c29436104d41c301c38cf0833ed05f58617de454494ef40390318623d8',
};

test('keeps the form of stored payments', () => {
  expect(paymentFingerprint(attempt, payload)).toBe(stored.current);
});

test.each([
  ['product', { paid: 'check' }, payload],
  ['route', { route: 'POST /trpc/quote' }, payload],
  ['query', { queryKey: 'polygon' }, payload],
  ['payload', {}, `${payload} `],
])('belongs to one %s', (_name, change, text) => {
  expect(matchesFingerprint(stored.current, { ...attempt, ...change }, text)).toBe(false);
  expect(paymentFingerprint({ ...attempt, ...change }, text)).not.toBe(stored.current);
});

test('belongs to another spelling of the same query', () => {
  expect(matchesFingerprint(stored.current, { ...attempt, canonicalInput: '{"chain":"Base"}' }, payload)).toBe(true);
});

test('of an earlier release belongs to the identical input only', () => {
  expect(matchesFingerprint(stored.earlier, attempt, payload)).toBe(true);
  expect(matchesFingerprint(stored.earlier, { ...attempt, queryKey: 'polygon' }, payload)).toBe(true);
  for (const change of [{ canonicalInput: '{}' }, { route: 'POST /trpc/quote' }, { paid: 'check' }]) {
    expect(matchesFingerprint(stored.earlier, { ...attempt, ...change }, payload)).toBe(false);
  }
});
