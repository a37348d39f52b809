import { expect, test } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError } from '../../engine/index.ts';
import { RequestError } from '../../router/index.ts';
import {
  answerText,
  openGate,
  quote,
  responseOf,
  serving,
  settledResponse,
  signed,
} from '../../tests/support/openGate.ts';
import type { PaymentDecision } from './paymentTypes.ts';

test('requires a payment for every request', () => {
  expect(openGate().gate.requiresPayment()).toBe(true);
});

test('a request without a payment gets the challenge for the path that was called', async () => {
  const { run, attempts, challenged } = openGate();
  const { headers, body } = responseOf(await run());
  expect(headers).toMatchObject({ 'PAYMENT-REQUIRED': 'CHALLENGE', 'Content-Type': 'application/json' });
  expect(body).toMatchObject({ code: 'PAYMENT_REQUIRED', summary: { x402Version: 2 } });
  expect(body.detail).toContain(`${quote.priceUsd} USD`);
  expect(body.detail).not.toContain('X-PAYMENT');
  expect(challenged).toEqual([['quote', '/v1/quote-alias']]);
  expect(attempts).toEqual([]);
});

test('a payment header of x402 v1 is not read as a payment', async () => {
  const { run, attempts } = openGate({ headers: { 'x-payment': 'SIGNED' } });
  expect(responseOf(await run()).body.detail).toContain('The X-PAYMENT header (x402 v1) was ignored');
  expect(attempts).toEqual([]);
});

test('a payment without an input gets the challenge, because it cannot be bound to a request', async () => {
  const { run, attempts } = openGate({ headers: signed, call: { input: undefined } });
  expect(responseOf(await run()).body.code).toBe('PAYMENT_REQUIRED');
  expect(attempts).toEqual([]);
});

test('one of a hundred unpaid requests is logged', async () => {
  const { run, lines } = openGate();
  for (let turn = 0; turn < 99; turn += 1) await run();
  expect(lines).toEqual([]);
  for (let turn = 0; turn < 101; turn += 1) await run();
  expect(lines).toMatchObject([
    { msg: 'Payment requested', paid: 'quote', oneOf: 100 },
    { msg: 'Payment requested', requestId: 'r1', code: 'PAYMENT_REQUIRED' },
  ]);
});

test('a payment is decided for the canonical input and the identity of the request', async () => {
  const { decision } = serving();
  const { run, attempts } = openGate({ headers: signed, decision, item: { identify: () => 'identity' } });
  expect(await run()).toMatchObject({ type: 'payment-verified' });
  expect(attempts).toMatchObject([
    {
      paid: 'quote',
      route: 'POST /v1/quote',
      canonicalInput: '{"a":2,"b":1}',
      queryKey: 'identity',
      requestId: 'r1',
      client: '192.0.2.1',
      paymentHeader: 'SIGNED',
    },
  ]);
  const unknown = openGate({
    headers: signed,
    decision,
    item: { identify: () => 'identity' },
    call: { client: undefined },
  });
  await unknown.run();
  expect(unknown.attempts[0]).not.toHaveProperty('client');
});

test('a replay is sent as it was stored, and only to its payer', async () => {
  const answer = { status: 200, contentType: 'application/json; charset=utf-8', body: answerText };
  const decision = { kind: 'replay', answer, paymentResponse: settledResponse } as const;
  const result = await openGate({ headers: signed, decision, item: { identify: () => '' } }).run();
  expect(result).toMatchObject({
    type: 'payment-error',
    response: {
      status: 200,
      body: answerText,
      isHtml: true,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'private, no-store',
        'PAYMENT-RESPONSE': settledResponse,
        'Idempotent-Replayed': 'true',
      },
    },
  });
});

test.each([
  [400, 'INVALID_REQUEST', 'INVALID_REQUEST'],
  [402, 'PAYMENT_REQUIRED', 'PAYMENT_REQUIRED'],
  [409, 'PAYMENT_REUSED', 'PAYMENT_REUSED'],
  [429, 'RATE_LIMITED', 'RATE_LIMITED'],
  [503, 'SETTLEMENT_UNKNOWN', 'SETTLEMENT_UNKNOWN'],
  [503, 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
  // A code of another status, or that is not published, would contradict the documentation.
  [503, 'INVALID_REQUEST', 'UPSTREAM_UNAVAILABLE'],
  [409, 'nonce_used', 'PAYMENT_REUSED'],
] as const)('a refusal with %i %s has the code %s', async (status, code, expected) => {
  const decision = {
    kind: 'refuse',
    status,
    code,
    detail: 'Why.',
    charged: false,
    headers: { 'Retry-After': '5' },
  } as PaymentDecision;
  const { run, challenged } = openGate({ headers: signed, decision, item: { identify: () => '' } });
  const { headers, body } = responseOf(await run());
  expect(body).toMatchObject({ code: expected, detail: 'Why.' });
  expect(headers).toMatchObject({ 'Retry-After': '5' });
  expect(body.example !== null).toBe(status === 400);
  expect(body.summary).toEqual(status === 402 ? { x402Version: 2 } : {});
  expect(challenged).toHaveLength(status === 402 ? 1 : 0);
});

test('an error of the service is a response, logged if it has no published code', async () => {
  const failing = (error: Error) =>
    openGate({ headers: signed, decision: () => Promise.reject(error), item: { identify: () => '' } });
  const internal = failing(new TypeError('of the code'));
  expect(responseOf(await internal.run()).body.code).toBe('INTERNAL');
  expect(internal.lines).toMatchObject([{ msg: 'request failed', requestId: 'r1' }]);
  const known = failing(new RequestError('DEADLINE_EXCEEDED', 'Late.'));
  expect(responseOf(await known.run()).body).toMatchObject({ code: 'DEADLINE_EXCEEDED', detail: 'Late.' });
  expect(known.lines).toEqual([]);
});

test.each<[string, Error | undefined, unknown]>([
  ['nothing', undefined, undefined],
  ['an invalid request', new RequestError('INVALID_REQUEST', 'No code.'), { kind: 'invalid', detail: 'No code.' }],
  [
    'an unavailable chain',
    new ChainUnavailableError('base', 7),
    { kind: 'unavailable', code: 'UPSTREAM_UNAVAILABLE', retryAfterSeconds: 7 },
  ],
  ['a deadline', new DeadlineExceededError('base', 100), { kind: 'unavailable', code: 'DEADLINE_EXCEEDED' }],
])('before the charge, %s blocks it', async (_, error, expected) => {
  const { decision } = serving();
  const { run, attempts, call } = openGate({
    headers: signed,
    decision,
    item: { identify: () => '', beforeCharge: async () => (error ? Promise.reject(error) : undefined) },
  });
  await run();
  const blocker = await attempts[0]?.beforeCharge?.();
  if (expected === undefined) expect(blocker).toBeUndefined();
  else expect(blocker).toMatchObject(expected as object);
  expect(call.acceptedPayment).toBeDefined();
});

test('another error before the charge is thrown, so that nothing is charged', async () => {
  const { run, attempts } = openGate({
    headers: signed,
    decision: serving().decision,
    item: { identify: () => '', beforeCharge: () => Promise.reject(new RequestError('RATE_LIMITED', 'of the node')) },
  });
  await run();
  await expect(attempts[0]?.beforeCharge?.()).rejects.toThrow('of the node');
});
