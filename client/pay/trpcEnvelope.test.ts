import { expect, test } from 'vitest';
import { isTrpcPath, toTrpcPath, unwrapEnvelope } from './trpcEnvelope.ts';

test('default: recognizes the path of a procedure', () => {
  expect(toTrpcPath('quote')).toBe('/trpc/quote');
  expect(isTrpcPath('/trpc/quote')).toBe(true);
  expect(isTrpcPath('/v1/quote')).toBe(false);
});

test('default: returns the answer, or the error body and the error', () => {
  expect(unwrapEnvelope({ result: { data: { a: 1 } } })).toEqual({ body: { a: 1 }, error: undefined });
  const error = { data: { reason: { code: 'CODE' } } };
  expect(unwrapEnvelope({ error, result: { data: 1 } })).toEqual({ body: { code: 'CODE' }, error });
});

test.each([
  null,
  [1],
  'x',
  {},
  { result: 1 },
  { error: 1 },
  { error: { data: 1 } },
  { error: { data: { reason: 1 } } },
])('error: no body without an envelope: %j', (envelope) => {
  expect(unwrapEnvelope(envelope)).toEqual({ body: undefined, error: undefined });
});
