import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { ChainUnavailableError } from '../../engine/index.ts';
import type { AppRouter, ErrorBody } from '../../router/index.ts';
import { fakeAnswer } from './fakePorts.ts';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.engine.queries.length = 0;
  served.engine.behaviour = async () => fakeAnswer;
  served.paymentService.attempts.length = 0;
  served.paymentService.refusal = undefined;
});

/** The published tRPC client with the types of this service's router. */
const client = (headers: Record<string, string> = {}) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${served.url}/trpc`, headers })] });

async function catchTrpcError(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw new Error('The call should have failed with a TRPCClientError.');
  return error;
}

test('default: the published client buys a typed quote', async () => {
  const quote = await client(payment()).quote.mutate(quoteInput);
  expectTypeOf(quote.amountOut).toEqualTypeOf<string>();
  expect(quote.amountOut).toBe('90071992547409931234');
  expect(served.paymentService.attempts[0]).toMatchObject({ paid: 'quote', route: 'POST /trpc/quote' });
});

test('default: 402 without a payment, with the header PAYMENT-REQUIRED and the payment options in error.data.reason', async () => {
  const response = await served.post('/trpc/quote', quoteInput);
  expect(response.status).toBe(402);
  expect(response.headers.get('payment-required')).toBeTruthy();
  expect(await response.json()).toMatchObject({
    error: {
      data: {
        code: 'PAYMENT_REQUIRED',
        httpStatus: 402,
        path: 'quote',
        reason: { code: 'PAYMENT_REQUIRED', x402Version: 2, networks: ['eip155:8453'] },
      },
    },
  });
  const probe = await served.post('/trpc/quote', '');
  expect(probe.status).toBe(402);
  expect(served.engine.queries).toEqual([]);
});

test('error: error.data.reason is the typed error body', async () => {
  const error = await catchTrpcError(client(payment()).quote.mutate({ ...quoteInput, sizeIn: '0' }));
  expectTypeOf(error.data?.reason).toEqualTypeOf<ErrorBody | undefined>();
  expect(error.data).toMatchObject({
    code: 'BAD_REQUEST',
    httpStatus: 400,
    reason: { code: 'INVALID_REQUEST', issues: [{ path: 'sizeIn' }] },
  });
  expect(JSON.stringify(error.shape)).not.toContain('stack');
  expect(served.paymentService.attempts).toEqual([]);
});

test('error: 503 with the credit when the engine fails after the payment', async () => {
  served.engine.behaviour = async () => {
    throw new ChainUnavailableError('base', 11);
  };
  const error = await catchTrpcError(client(payment()).quote.mutate(quoteInput));
  expect(error.data).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    httpStatus: 503,
    reason: { code: 'UPSTREAM_UNAVAILABLE' },
  });
  expect(error.message).toContain('send the same PAYMENT-SIGNATURE again');
});

test.each([
  ['400', '{', {}, 400],
  ['413', JSON.stringify({ a: 'x'.repeat(20_000) }), {}, 413],
  ['415', JSON.stringify(quoteInput), { 'content-type': 'text/plain' }, 415],
  ['422', JSON.stringify({ ...quoteInput, chain: 'arb' }), {}, 422],
  ['a batch body', JSON.stringify({ 0: quoteInput, 1: quoteInput }), {}, 400],
])('error: returns the status in tRPC’s error format for %s', async (_case, body, headers, status) => {
  const response = await served.post('/trpc/quote', body, { ...headers, ...payment() });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { data: { httpStatus: status, reason: { status } } } });
  expect(served.paymentService.attempts).toEqual([]);
});

test('behavior: ignores the header trpc-accept', async () => {
  const plain = await (await served.post('/trpc/quote', quoteInput, payment())).text();
  const streamed = await (
    await served.post('/trpc/quote', quoteInput, { 'trpc-accept': 'application/jsonl', ...payment() })
  ).text();
  expect(streamed).toBe(plain);
});

test('behavior: replays the answer for the same signature byte for byte', async () => {
  const signature = payment();
  const first = await served.post('/trpc/quote', quoteInput, signature);
  const replay = await served.post('/trpc/quote', quoteInput, signature);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await replay.text()).toBe(await first.text());
  expect(served.engine.queries).toHaveLength(1);
});
