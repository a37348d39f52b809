import { createTRPCClient, retryLink, TRPCClientError } from '@trpc/client';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  PaymentRefusedError,
  type PendingCall,
  type Receipt,
  RequestRefusedError,
  SandboxError,
  SpendLimitError,
  TruefillError,
  UnavailableError,
} from '../../client/index.ts';
import { type AppRouter, type PaymentLinkOptions, paymentLink } from '../../client/trpc/index.ts';
import type { ErrorBody } from '../../router/index.ts';
import { encode, offer, paid, type ScriptedService, startScriptedService, unpaid } from './scriptedService.ts';

// The payment link against a service or a connection that fails. The package test buys from a real service.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;
const quickRetry = { attempts: 2, attemptMs: 5_000, longestWaitMs: 5 };
const lost = ['hang up', 'hang up'] as const;

/** A response with an error from the router's errorFormatter. */
const refuses = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  charged: boolean | null = false,
) => ({
  status,
  headers,
  body: {
    error: {
      code: -32000,
      message: 'Refused.',
      data: {
        code: 'CONFLICT',
        httpStatus: status,
        path: 'quote',
        reason: { code, status, detail: 'Refused.', charged },
      },
    },
  },
});
const quoted = paid({ result: { data: { amountOut: '7' } } });

let server: ScriptedService;
afterEach(() => server?.close());

async function open(steps: Parameters<typeof startScriptedService>[0], more: Partial<PaymentLinkOptions> = {}) {
  server = await startScriptedService(steps);
  return createTRPCClient<AppRouter>({
    links: [paymentLink({ url: server.url, wallet: account, retry: quickRetry, ...more })],
  });
}

async function failure(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw new Error('The call should have failed with a TRPCClientError.');
  return error;
}

async function pendingOf(call: Promise<unknown>): Promise<PendingCall> {
  const { cause } = await failure(call);
  if (!(cause instanceof AnswerPendingError)) throw cause;
  return cause.pending;
}

test('default: signs once, posts the same body to /trpc/quote, unwraps the answer, reports the receipt', async () => {
  const receipts: Receipt[] = [];
  const urls: unknown[] = [];
  const trpc = await open([unpaid(), quoted], {
    onReceipt: (receipt) => receipts.push(receipt),
    fetch: (input, init) => {
      urls.push(input);
      return fetch(input, init);
    },
  });
  const quote = await trpc.quote.mutate(request);
  expectTypeOf(quote.amountOut).toEqualTypeOf<string>();
  expect(quote).toEqual({ amountOut: '7' });
  expect(urls).toEqual([`${server.url}/trpc/quote`, `${server.url}/trpc/quote`]);
  expect(server.signatures).toEqual([undefined, expect.any(String)]);
  expect(server.bodies).toEqual([JSON.stringify(request), JSON.stringify(request)]);
  expect(receipts).toMatchObject([{ transaction: '0xaa', paidUsd: 0.02, free: false }]);
});

test('behavior: another client resumes a lost answer by context.pending with the same signature', async () => {
  const pending = await pendingOf((await open([unpaid(), ...lost, quoted])).quote.mutate(request));
  expect(pending).toMatchObject({ path: '/trpc/quote', body: JSON.stringify(request) });

  const stored: PendingCall = JSON.parse(JSON.stringify(pending));
  const other = createTRPCClient<AppRouter>({
    links: [paymentLink({ url: server.url, wallet: account, retry: quickRetry })],
  });
  expect(await other.quote.mutate(JSON.parse(stored.body), { context: { pending: stored } })).toEqual({
    amountOut: '7',
  });
  expect(new Set(server.signatures.slice(1))).toEqual(new Set([pending.paymentSignature]));
});

test('behavior: the REST client resumes a pending tRPC call and unwraps its answer', async () => {
  const pending = await pendingOf((await open([unpaid(), ...lost, quoted])).quote.mutate(request));
  const truefill = createTruefillClient({ url: server.url, wallet: account, retry: quickRetry });
  expect(await truefill.resume(pending)).toEqual({ amountOut: '7' });
  expect(server.signatures.at(-1)).toBe(pending.paymentSignature);
  await server.close();

  const future = paid({ result: { data: { verdict: 'caution' } } });
  const check = (await open([unpaid(), ...lost, future])).pretradeCheck.mutate({ token: request.tokenIn });
  const rest = createTruefillClient({ url: server.url, wallet: account, retry: quickRetry });
  expect(await rest.resume(await pendingOf(check))).toEqual({ verdict: 'unknown' });
});

test('behavior: a resumed call that is refused holds its amount of the spend limit until it expires', async () => {
  const trpc = await open([unpaid(), ...lost, refuses(402, 'PAYMENT_REQUIRED'), unpaid()], {
    spendLimit: { totalUsd: 0.03 },
  });
  const pending = await pendingOf(trpc.quote.mutate(request));
  const { cause } = await failure(trpc.quote.mutate(request, { context: { pending } }));
  expect(cause).toBeInstanceOf(PaymentRefusedError);
  expect((await failure(trpc.quote.mutate(request))).cause).toBeInstanceOf(SpendLimitError);
});

test('error: a pending call of another procedure or input is refused before anything is sent', async () => {
  const trpc = await open([unpaid(), ...lost]);
  const pending = await pendingOf(trpc.quote.mutate(request));
  const sent = server.signatures.length;
  for (const call of [
    trpc.quote.mutate({ ...request, sizeIn: '2' }, { context: { pending } }),
    trpc.pretradeCheck.mutate({ token: request.tokenIn }, { context: { pending } }),
    trpc.quote.mutate(request, { context: { pending: null } }),
    trpc.quote.mutate(request, { context: { pending: { ...pending, path: '/v1/quote' } } }),
  ]) {
    const error = await failure(call);
    expect(error.cause).toBeInstanceOf(TruefillError);
    expect(error.message).toContain('Nothing was sent.');
  }
  expect(server.signatures).toHaveLength(sent);
});

test('behavior: retryLink resends the first signature and never signs a second payment', async () => {
  server = await startScriptedService([unpaid(), ...lost, ...lost, quoted]);
  const retry = retryLink<AppRouter>({ retry: ({ attempts }) => attempts < 4 });
  const trpc = createTRPCClient<AppRouter>({
    links: [retry, paymentLink({ url: server.url, wallet: account, retry: quickRetry })],
  });
  expect(await trpc.quote.mutate(request)).toEqual({ amountOut: '7' });
  expect(server.signatures).toHaveLength(6);
  expect(new Set(server.signatures.slice(1)).size).toBe(1);
});

test('error: a refusal has the error body in data.reason and the client’s error as cause', async () => {
  const error = await failure((await open([refuses(400, 'INVALID_REQUEST')])).quote.mutate(request));
  expectTypeOf(error.data?.reason).toEqualTypeOf<ErrorBody | undefined>();
  expect(error.cause).toBeInstanceOf(RequestRefusedError);
  expect(error.data).toMatchObject({ code: 'CONFLICT', httpStatus: 400, reason: { code: 'INVALID_REQUEST' } });
  await server.close();

  const again = { 'retry-after': '0' };
  const busy = Array(2).fill(refuses(503, 'SETTLEMENT_UNKNOWN', again, null));
  const unknown = await failure((await open([unpaid(), ...busy])).quote.mutate(request));
  expect(unknown.cause).toBeInstanceOf(AnswerPendingError);
  expect(unknown.data?.reason.code).toBe('SETTLEMENT_UNKNOWN');
  await server.close();

  const late = await failure((await open(Array(2).fill(refuses(429, 'RATE_LIMITED', again)))).quote.mutate(request));
  expect(late.cause).toBeInstanceOf(UnavailableError);
  expect(late.data?.reason.code).toBe('RATE_LIMITED');
});

test('behavior: retryLink resends a payment that the service did not charge', async () => {
  const uncharged = refuses(503, 'UPSTREAM_UNAVAILABLE', { 'retry-after': '0' });
  server = await startScriptedService([unpaid(), uncharged, unpaid(), uncharged, unpaid(), quoted]);
  const retry = retryLink<AppRouter>({ retry: ({ attempts }) => attempts < 2 });
  const trpc = createTRPCClient<AppRouter>({
    links: [retry, paymentLink({ url: server.url, wallet: account, retry: quickRetry })],
  });
  expect(await trpc.quote.mutate(request)).toEqual({ amountOut: '7' });
  expect(new Set(server.signatures.filter(Boolean)).size).toBe(1);
});

test('error: a refused payment is not signed again', async () => {
  const header = { 'payment-required': encode({ ...offer(), error: 'invalid_exact_evm_insufficient_balance' }) };
  const refused = refuses(402, 'PAYMENT_REQUIRED', header);
  const trpc = await open([unpaid(), refused, unpaid(), quoted], { spendLimit: { totalUsd: 0.04 } });
  const error = await failure(trpc.quote.mutate(request));
  expect(error.cause).toBeInstanceOf(PaymentRefusedError);
  expect(error.cause).toMatchObject({ reason: 'invalid_exact_evm_insufficient_balance' });
  expect(error.data?.reason.code).toBe('PAYMENT_REQUIRED');
  expect(await trpc.quote.mutate(request)).toEqual({ amountOut: '7' });
  expect(server.signatures).toHaveLength(4);
});

test('error: the spend limit and the sandbox rule apply before signing; data is undefined', async () => {
  const overLimit = await open([refuses(402, 'PAYMENT_REQUIRED', { 'payment-required': encode(offer()) })], {
    spendLimit: { perCallUsd: 0.01 },
  });
  const error = await failure(overLimit.quote.mutate(request));
  expect(error.cause).toBeInstanceOf(SpendLimitError);
  expect(error.data).toBeUndefined();
  expect(server.signatures).toEqual([undefined]);
  await server.close();

  const sandbox = await open([unpaid('20000', 'eip155:8453', 'USD Coin (truefill sandbox)')]);
  expect((await failure(sandbox.quote.mutate(request))).cause).toBeInstanceOf(SandboxError);
  expect(server.signatures).toEqual([undefined]);
});

test('error: AnswerPendingError when a paid response has no tRPC envelope', async () => {
  for (const body of [{ amountOut: '7' }, { result: {} }, { result: { data: [1] } }, { error: {} }, [1]]) {
    const trpc = await open([unpaid(), { status: 200, body }]);
    expect((await pendingOf(trpc.quote.mutate(request))).paymentSignature).toBe(server.signatures[1]);
    await server.close();
  }
});

test('behavior: abort before the payment sends none; abort during the wait leaves the answer pending', async () => {
  const before = new AbortController();
  const signed: PendingCall[] = [];
  const trpc = await open([unpaid(), quoted], {
    onProgress: ({ stage }) => stage === 'priced' && before.abort(),
    onSigned: (pending) => void signed.push(pending),
    spendLimit: { totalUsd: 0.02 },
  });
  const aborted = await failure(trpc.quote.mutate(request, { signal: before.signal }));
  expect(aborted.cause).toMatchObject({ name: 'AbortError' });
  expect(signed).toEqual([]);
  expect(server.signatures).toEqual([undefined]);
  await server.close();

  const during = new AbortController();
  const busy = { status: 503, headers: { 'retry-after': '50' } };
  const waiting = await open([unpaid(), busy, busy], {
    retry: { attempts: 2, attemptMs: 5_000, longestWaitMs: 60_000 },
    onProgress: ({ stage }) => stage === 'waiting' && setTimeout(() => during.abort(), 10),
  });
  const started = Date.now();
  const pending = await pendingOf(waiting.quote.mutate(request, { signal: during.signal }));
  expect(pending.paymentSignature).toBe(server.signatures[1]);
  expect(server.signatures).toHaveLength(2);
  expect(Date.now() - started).toBeLessThan(40_000);
});
