import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  PaymentRefusedError,
  type PendingCall,
  type Receipt,
  SpendLimitError,
  UnavailableError,
} from '../../client/index.ts';
import { failureOf } from '../support/failureOf.ts';
import { paid, type ScriptedService, startScriptedService, unpaid } from './scriptedService.ts';

// Payments whose answer is lost, and that are sent again in a later call.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;
const quick = { attempts: 3, attemptMs: 5_000, longestWaitMs: 5 };

let server: ScriptedService;
afterEach(() => server?.close());

async function clientOf(steps: Parameters<typeof startScriptedService>[0]) {
  server = await startScriptedService(steps);
  return createTruefillClient({ url: server.url, wallet: account, retry: quick });
}

test('error: AnswerPendingError when no answer arrives; another client can resume with the same signature', async () => {
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', paid({ amountOut: '7' })]);
  const error = await failureOf(truefill.quote(request));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect(truefill.spentUsd).toBe(0.02);
  expect(error.pending.paymentSignature).toBe(server.signatures[1]);

  const receipts: Receipt[] = [];
  const onReceipt = (receipt: Receipt) => void receipts.push(receipt);
  const other = createTruefillClient({ url: server.url, wallet: account, retry: quick, onReceipt });
  const pending = JSON.parse(JSON.stringify(error.pending));
  expect(await other.resume(pending)).toEqual({ amountOut: '7' });
  expect(receipts).toMatchObject([{ paidUsd: 0.02, free: false }]);
  expect(server.signatures.at(-1)).toBe(error.pending.paymentSignature);
  expect(server.bodies.at(-1)).toBe(server.bodies[0]);
});

const refused = { status: 402, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor.', charged: false } };
const lostAnswer = [unpaid(), 'hang up', 'hang up', 'hang up'] as const;

async function pendingOf(call: Promise<unknown>): Promise<PendingCall> {
  const error = await failureOf(call);
  if (!(error instanceof AnswerPendingError)) throw error;
  return error.pending;
}

test('behavior: whatever a service replies to a resumed payment, it counts while it can be charged', async () => {
  const reused = { status: 409, body: { code: 'PAYMENT_REUSED', detail: 'Answered.', charged: true } };
  const free = paid({ amountOut: '7' }, { amount: '0', extra: { freeTrial: true } });
  for (const step of [refused, free, paid({ amountOut: '7' }), reused]) {
    const truefill = await clientOf([...lostAnswer, step, refused, refused]);
    const pending = await pendingOf(truefill.quote(request));
    expect(truefill.spentUsd).toBe(0.02);
    await truefill.resume(pending).catch(() => undefined);
    expect(truefill.spentUsd).toBe(0.02);
    await failureOf(truefill.resume(pending));
    expect(truefill.spentUsd).toBe(0.02);

    // The limit covers what a client signs, not what it sends again for another one.
    const other = createTruefillClient({ url: server.url, wallet: account, retry: quick });
    expect(await failureOf(other.resume(pending))).toBeInstanceOf(PaymentRefusedError);
    expect(other.spentUsd).toBe(0);
    await server.close();
  }
});

test('error: SpendLimitError while refused payments hold the limit; resuming one of them signs nothing', async () => {
  server = await startScriptedService([...lostAnswer, refused, unpaid(), paid({ amountOut: '7' })]);
  const truefill = createTruefillClient({
    url: server.url,
    wallet: account,
    retry: quick,
    spendLimit: { totalUsd: 0.03 },
  });
  const pending = await pendingOf(truefill.quote(request));
  await failureOf(truefill.resume(pending));
  expect(await failureOf(truefill.quote(request))).toBeInstanceOf(SpendLimitError);
  await truefill.resume(pending);
  expect(truefill.spentUsd).toBe(0.02);
  expect(new Set(server.signatures.filter(Boolean)).size).toBe(1);
});

test('error: a 503 that charged nothing ends in UnavailableError with the payment, not in AnswerPendingError', async () => {
  const uncharged = {
    status: 503,
    headers: { 'retry-after': '0' },
    body: { code: 'UPSTREAM_UNAVAILABLE', detail: 'Nothing was charged.', charged: false },
  };
  const truefill = await clientOf([unpaid(), uncharged, unpaid(), uncharged, unpaid(), uncharged, unpaid(), paid({})]);
  const error = await failureOf(truefill.quote(request));
  if (!(error instanceof UnavailableError)) throw error;
  expect(error.message).toBe('UPSTREAM_UNAVAILABLE: Nothing was charged.');
  expect(new Set(server.signatures.filter(Boolean)).size).toBe(1);
  expect(truefill.spentUsd).toBe(0.02);
  expect(await truefill.resume(error.pending as PendingCall)).toEqual({});
  expect(new Set(server.signatures.filter(Boolean))).toEqual(new Set([error.pending?.paymentSignature]));
});

test.each([
  [true, true],
  [null, null],
  [undefined, null],
])('error: AnswerPendingError after a 503 with charged %s', async (charged, expected) => {
  const step = {
    status: 503,
    headers: { 'retry-after': '0' },
    body: { code: 'UPSTREAM_UNAVAILABLE', detail: 'x', charged },
  };
  const truefill = await clientOf([unpaid(), step, step, step]);
  const error = await failureOf(truefill.quote(request));
  expect(error).toBeInstanceOf(AnswerPendingError);
  expect(error).toMatchObject({ charged: expected });
});

test('behavior: onFinished receives a payment that was answered or refused, not one whose charge is not known', async () => {
  for (const [step, finishes] of [
    [paid({}), true],
    [refused, true],
    [{ ...refused, body: { ...refused.body, charged: null } }, false],
    ['hang up', false],
  ] as const) {
    const finished: PendingCall[] = [];
    server = await startScriptedService([...lostAnswer, step]);
    const onFinished = (pending: PendingCall) => void finished.push(pending);
    const truefill = createTruefillClient({ url: server.url, wallet: account, retry: quick, onFinished });
    const pending = await pendingOf(truefill.quote(request));
    expect(finished).toEqual([]);
    await truefill.resume(pending).catch(() => undefined);
    expect(finished).toEqual(finishes ? [pending] : []);
    await server.close();
  }
});

test('behavior: a verdict that this version does not support becomes unknown in a resumed check', async () => {
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', paid({ verdict: 'caution' })]);
  const error = await failureOf(truefill.pretradeCheck({ token: request.tokenIn }));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect(await truefill.resume(error.pending)).toEqual({ verdict: 'unknown' });
});
