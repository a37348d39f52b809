import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  PaymentRefusedError,
  type Receipt,
  SpendLimitError,
} from '../../client/index.ts';
import { chargeStates } from '../../server/payments/chargeState.ts';
import type { BuiltOffer } from '../../server/payments/offer.ts';
import { refuseInvalid } from '../../server/payments/refusals.ts';
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

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('The call should have failed.'),
    (reason: unknown) => reason,
  );

test('error: AnswerPendingError when no answer arrives; another client can resume with the same signature', async () => {
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', paid({ amountOut: '7' })]);
  const error = await failure(truefill.quote(request));
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

test('behavior: a resumed payment no longer counts as spent if it is refused or free', async () => {
  const refused = { status: 402, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor.' } };
  const reused = { status: 409, body: { code: 'PAYMENT_REUSED', detail: 'Answered.' } };
  for (const [step, spentUsd] of [
    [refused, 0],
    [paid({ amountOut: '7' }, { amount: '0', extra: { freeTrial: true } }), 0],
    [paid({ amountOut: '7' }), 0.02],
    [reused, 0.02],
  ] as const) {
    const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', step, refused, refused]);
    const error = await failure(truefill.quote(request));
    if (!(error instanceof AnswerPendingError)) throw error;
    expect(truefill.spentUsd).toBe(0.02);
    await truefill.resume(error.pending).catch(() => undefined);
    expect(truefill.spentUsd).toBe(spentUsd);

    // Only the first final reply counts, and only for the client that signed.
    await failure(truefill.resume(error.pending));
    expect(truefill.spentUsd).toBe(spentUsd);
    const other = createTruefillClient({ url: server.url, wallet: account, retry: quick });
    expect(await failure(other.resume(error.pending))).toBeInstanceOf(PaymentRefusedError);
    expect(other.spentUsd).toBe(0);
    await server.close();
  }
});

test('behavior: a refused payment counts as spent if it is charged when it is sent again', async () => {
  const refused = { status: 402, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor. Nothing was charged.' } };
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', refused, paid({ amountOut: '7' })]);
  const error = await failure(truefill.quote(request));
  if (!(error instanceof AnswerPendingError)) throw error;
  await failure(truefill.resume(error.pending));
  expect(truefill.spentUsd).toBe(0);
  await truefill.resume(error.pending);
  expect(truefill.spentUsd).toBe(0.02);
});

test('error: SpendLimitError when a refused payment is sent again and its amount was spent meanwhile', async () => {
  const refused = { status: 402, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor. Nothing was charged.' } };
  const answer = paid({ amountOut: '7' });
  server = await startScriptedService([unpaid(), 'hang up', 'hang up', 'hang up', refused, unpaid(), answer, answer]);
  const spendLimit = { totalUsd: 0.03 };
  const truefill = createTruefillClient({ url: server.url, wallet: account, retry: quick, spendLimit });
  const error = await failure(truefill.quote(request));
  if (!(error instanceof AnswerPendingError)) throw error;
  await failure(truefill.resume(error.pending));
  await truefill.quote(request);
  expect(await failure(truefill.resume(error.pending))).toBeInstanceOf(SpendLimitError);
  expect(truefill.spentUsd).toBe(0.02);
  expect(server.signatures).toHaveLength(7);
});

test('behavior: a refusal that does not exclude an earlier charge leaves the payment counted', async () => {
  const detail = refuseInvalid(
    { headerFor: () => '' } as unknown as BuiltOffer,
    'expired',
    'It has expired.',
    chargeStates.mayHavePaid,
  ).detail;
  const expired = { status: 402, body: { code: 'PAYMENT_REQUIRED', detail } };
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', expired]);
  const error = await failure(truefill.quote(request));
  if (!(error instanceof AnswerPendingError)) throw error;
  await failure(truefill.resume(error.pending));
  expect(truefill.spentUsd).toBe(0.02);
});

test('behavior: a verdict that this version does not support becomes unknown in a resumed check', async () => {
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', paid({ verdict: 'caution' })]);
  const error = await failure(truefill.pretradeCheck({ token: request.tokenIn }));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect(await truefill.resume(error.pending)).toEqual({ verdict: 'unknown' });
});
