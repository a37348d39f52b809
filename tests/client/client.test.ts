import { declarePaymentIdentifierExtension, validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  NoWayToPayError,
  PaymentRefusedError,
  type PendingCall,
  type PretradeCheck,
  paths,
  type Receipt,
  RequestRefusedError,
  SandboxError,
  SpendLimitError,
  type TruefillClientOptions,
  UnavailableError,
  UnexpectedAnswerError,
} from '../../client/index.ts';
import { catalogue } from '../../router/index.ts';
import { answers, asksForPayment, encode, offer, openShop, type ScriptedShop } from './scriptedShop.ts';

// What the client does when the other side, or the line, fails. The journey buys from the real one.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;
const quick = { attempts: 3, attemptMs: 5_000, longestWaitMs: 5 };

let shop: ScriptedShop;
afterEach(() => shop?.close());

async function clientOf(
  steps: Parameters<typeof openShop>[0],
  more: Partial<TruefillClientOptions> = {},
): Promise<ReturnType<typeof createTruefillClient>> {
  shop = await openShop(steps);
  return createTruefillClient({ url: shop.url, wallet: account, patience: quick, ...more });
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('The call should have failed.'),
    (reason: unknown) => reason,
  );

test('default: the client’s paths are the router’s', () => {
  expect(paths).toEqual(Object.fromEntries(catalogue.map(({ name, path }) => [name, path])));
});

test('default: asks, signs once, sends the same body, tells the receipt', async () => {
  const receipts: Receipt[] = [];
  const stages: string[] = [];
  const truefill = await clientOf([asksForPayment(), answers({ amountOut: '7' })], {
    onReceipt: (receipt) => receipts.push(receipt),
    onProgress: ({ stage }) => stages.push(stage),
  });
  const quote = await truefill.quote(request);
  expectTypeOf(quote.amountOut).toEqualTypeOf<string>();
  expect(quote.amountOut).toBe('7');
  expect(shop.signatures[0]).toBeUndefined();
  expect(shop.bodies[1]).toBe(shop.bodies[0]);
  expect(receipts).toEqual([
    { network: 'eip155:8453', transaction: '0xaa', payer: '0xbb', paidUsd: 0.02, free: false, replayed: false },
  ]);
  expect(stages).toEqual(['priced', 'settling']);
  expect(truefill.spentUsd).toBe(0.02);
});

test('behavior: on 503, 429, 500 and a lost connection the same signature goes again, never another', async () => {
  for (const fault of [
    { status: 503, headers: { 'retry-after': '0' }, body: { code: 'SETTLEMENT_UNKNOWN', detail: 'Again.' } },
    { status: 503, raw: '<html>a proxy</html>' },
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 500 },
    'hang up' as const,
  ]) {
    const truefill = await clientOf([asksForPayment(), fault, fault, answers({ amountOut: '7' })]);
    await truefill.quote(request);
    expect(shop.signatures).toHaveLength(4);
    expect(new Set(shop.signatures.slice(1)).size).toBe(1);
    expect(truefill.spentUsd).toBe(0.02);
    await shop.close();
  }
});

test('error: an answer that does not come is pending; resume sends that signature, from another client too', async () => {
  const truefill = await clientOf([asksForPayment(), 'hang up', 'hang up', 'hang up', answers({ amountOut: '7' })]);
  const error = await failure(truefill.quote(request));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect(truefill.spentUsd).toBe(0.02);
  expect(error.pending.paymentSignature).toBe(shop.signatures[1]);

  const receipts: Receipt[] = [];
  const onReceipt = (receipt: Receipt) => void receipts.push(receipt);
  const other = createTruefillClient({ url: shop.url, wallet: account, patience: quick, onReceipt });
  const pending = JSON.parse(JSON.stringify(error.pending));
  expect(await other.resume(pending)).toEqual({ amountOut: '7' });
  expect(receipts).toMatchObject([{ paidUsd: 0.02, free: false }]);
  expect(shop.signatures.at(-1)).toBe(error.pending.paymentSignature);
  expect(shop.bodies.at(-1)).toBe(shop.bodies[0]);
});

test('error: a payment that is refused is not signed anew, and not counted', async () => {
  const reason = { 'payment-required': encode({ ...offer(), error: 'invalid_exact_evm_insufficient_balance' }) };
  const truefill = await clientOf([
    asksForPayment(),
    { status: 402, headers: reason, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor.' } },
  ]);
  const error = await failure(truefill.quote(request));
  expect(error).toBeInstanceOf(PaymentRefusedError);
  expect(error).toMatchObject({ reason: 'invalid_exact_evm_insufficient_balance' });
  expect(shop.signatures).toHaveLength(2);
  expect(truefill.spentUsd).toBe(0);
});

test('error: a refusal by the service is a typed error with its issues', async () => {
  const issues = [{ path: 'sizeIn', message: 'Must be a decimal.' }];
  const truefill = await clientOf([{ status: 400, body: { code: 'INVALID_REQUEST', detail: 'Broken.', issues } }]);
  const error = await failure(truefill.quote(request));
  expect(error).toBeInstanceOf(RequestRefusedError);
  expect(error).toMatchObject({ body: { status: 400, code: 'INVALID_REQUEST', issues } });
  expect(String(error)).toContain('sizeIn: Must be a decimal.');
});

test('error: an unreachable service, or a 503 before signing, is UnavailableError', async () => {
  const truefill = await clientOf([]);
  expect(await failure(truefill.quote(request))).toBeInstanceOf(UnavailableError);
  expect(shop.signatures).toEqual([undefined, undefined, undefined]);
  await shop.close();
  const later = await clientOf(Array(3).fill({ status: 503, headers: { 'retry-after': '0' } }));
  expect(await failure(later.quote(request))).toBeInstanceOf(UnavailableError);
  expect(await failure((await clientOf([])).health())).toBeInstanceOf(UnavailableError);
});

test('error: over the limit nothing is signed; a refused or free call leaves the limit as it was', async () => {
  const dear = await clientOf([asksForPayment('20000')], { spendLimit: { perCallUsd: 0.01 } });
  expect(await failure(dear.quote(request))).toMatchObject({ name: 'SpendLimitError', priceUsd: 0.02, limitUsd: 0.01 });
  expect(shop.signatures).toEqual([undefined]);
  await shop.close();

  const free = { amount: '0', transaction: '', extra: { freeTrial: true } };
  const steps = [answers({}, free), answers({}), asksForPayment()].flatMap((step) => [asksForPayment(), step]);
  const truefill = await clientOf(steps, { spendLimit: { totalUsd: 0.02 } });
  await truefill.quote(request);
  expect(truefill.spentUsd).toBe(0);
  await truefill.quote(request);
  expect(truefill.spentUsd).toBe(0.02);
  expect(await failure(truefill.quote(request))).toBeInstanceOf(SpendLimitError);
  expect(() => createTruefillClient({ url: '', wallet: account, spendLimit: { totalUsd: Number.NaN } })).toThrow(
    RangeError,
  );
});

test('error: a price over a dollar, another token, or a network without a wallet is no way to pay', async () => {
  const strange = { ...offer(), accepts: offer().accepts.map((one) => ({ ...one, asset: `0x${'22'.repeat(20)}` })) };
  for (const step of [
    asksForPayment('2000000'),
    asksForPayment('20000', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
    { status: 402, headers: { 'payment-required': encode(strange) }, body: {} },
  ]) {
    const truefill = await clientOf([step]);
    expect(await failure(truefill.quote(request))).toBeInstanceOf(NoWayToPayError);
    expect(truefill.spentUsd).toBe(0);
    await shop.close();
  }
  const elsewhere = await clientOf([asksForPayment()], { payOn: 'eip155:137' });
  expect(await failure(elsewhere.quote(request))).toBeInstanceOf(NoWayToPayError);
});

test('error: responses of other services are UnexpectedAnswerError', async () => {
  for (const step of [
    { status: 200, raw: '<html>' },
    { status: 200, raw: '[1]' },
    { status: 402, body: {} },
    { status: 402, headers: { 'payment-required': '%%%' }, body: {} },
  ]) {
    expect(await failure((await clientOf([step])).quote(request))).toBeInstanceOf(UnexpectedAnswerError);
    await shop.close();
  }
});

const sandboxName = 'USD Coin (truefill sandbox)';

test('error: a sandbox is not paid unless it is allowed, and a wallet for sandboxes pays nothing else', async () => {
  const asSandbox = asksForPayment('20000', 'eip155:8453', sandboxName);
  const refused = await clientOf([asSandbox]);
  const error = await failure(refused.quote(request));
  expect(error).toBeInstanceOf(SandboxError);
  expect(String(error)).toContain('allowSandbox: true');
  expect(shop.signatures).toEqual([undefined]);
  expect(refused.spentUsd).toBe(0);
  await shop.close();

  for (const allowSandbox of [true, 'only'] as const) {
    await (await clientOf([asSandbox, answers({ amountOut: '7' })], { allowSandbox })).quote(request);
    expect(shop.signatures[1]).toBeTruthy();
    await shop.close();
  }

  const mixed = { ...offer(), accepts: [...offer('20000', 'eip155:8453', sandboxName).accepts, ...offer().accepts] };
  for (const step of [
    asksForPayment(),
    asksForPayment('20000', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
    { status: 402, headers: { 'payment-required': encode(mixed) }, body: {} },
  ]) {
    const demo = await clientOf([step], { allowSandbox: 'only' });
    expect(await failure(demo.quote(request))).toBeInstanceOf(SandboxError);
    expect(shop.signatures).toEqual([undefined]);
    await shop.close();
  }
  const real = await clientOf([asksForPayment(), answers({ amountOut: '7' })], { allowSandbox: true });
  await real.quote(request);
});

test('behavior: onSigned has the payment before it is sent; when it cannot be stored nothing is sent', async () => {
  const kept: PendingCall[] = [];
  const truefill = await clientOf([asksForPayment(), 'hang up', 'hang up', 'hang up', answers({ amountOut: '7' })], {
    onSigned: (pending) => {
      expect(shop.signatures).toHaveLength(1);
      kept.push(pending);
    },
  });
  await failure(truefill.quote(request));
  expect(kept.map(({ paymentSignature }) => paymentSignature)).toEqual([shop.signatures[1]]);
  expect(await truefill.resume(kept[0] as PendingCall)).toEqual({ amountOut: '7' });
  await shop.close();

  const full = await clientOf([asksForPayment()], {
    onSigned: () => {
      throw new Error('The disk is full.');
    },
  });
  expect(String(await failure(full.quote(request)))).toContain('The disk is full.');
  expect(shop.signatures).toEqual([undefined]);
  expect(full.spentUsd).toBe(0);
});

test('error: after a signature, only a refusal of the service itself ends the call', async () => {
  for (const strange of [
    { status: 200, raw: '<html>Please sign in to this network</html>' },
    { status: 200, raw: '[1]' },
    { status: 404, body: { error: 'no such host' } },
    { status: 302, body: {} },
  ]) {
    const truefill = await clientOf([asksForPayment(), strange]);
    expect(await failure(truefill.quote(request))).toBeInstanceOf(AnswerPendingError);
    expect(truefill.spentUsd).toBe(0.02);
    await shop.close();
  }
  const reused = { status: 409, body: { code: 'PAYMENT_REUSED', detail: 'You were charged and answered.' } };
  const truefill = await clientOf([asksForPayment(), reused]);
  expect(await failure(truefill.quote(request))).toBeInstanceOf(RequestRefusedError);
  expect(truefill.spentUsd).toBe(0.02);
});

test('default: sign makes the header for a 402, within the limit; the payment is named where that is offered', async () => {
  const truefill = await clientOf([], { spendLimit: { totalUsd: 0.02 } });
  const named = { ...offer(), extensions: { 'payment-identifier': declarePaymentIdentifierExtension(false) } };
  const signed = JSON.parse(Buffer.from(await truefill.sign(encode(named)), 'base64').toString());
  expect(signed.accepted).toEqual(offer().accepts[0]);
  expect(validatePaymentIdentifier(signed.extensions['payment-identifier'])).toEqual({ valid: true });
  expect(signed.extensions['payment-identifier'].info.id).toMatch(/^[0-9a-f]{32}$/);
  expect(await failure(truefill.sign(encode(named)))).toBeInstanceOf(SpendLimitError);
  expect(await failure(truefill.sign('%%%'))).toBeInstanceOf(UnexpectedAnswerError);
});

test('behavior: a verdict from the future is unknown', async () => {
  const truefill = await clientOf([asksForPayment(), answers({ verdict: 'caution', triggers: [] })]);
  const check = await truefill.pretradeCheck({ token: request.tokenIn });
  expectTypeOf(check).toEqualTypeOf<PretradeCheck>();
  expectTypeOf(check.verdict).toEqualTypeOf<'avoid' | 'clear' | 'unknown'>();
  expect(check.verdict).toBe('unknown');
});

test('behavior: so is one of a check that is resumed', async () => {
  const truefill = await clientOf([asksForPayment(), 'hang up', 'hang up', 'hang up', answers({ verdict: 'caution' })]);
  const error = await failure(truefill.pretradeCheck({ token: request.tokenIn }));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect(await truefill.resume(error.pending)).toEqual({ verdict: 'unknown' });
});

test('behavior: a viem wallet client signs as its account does', async () => {
  const wallet = createWalletClient({ account, transport: http('http://127.0.0.1:1') });
  const truefill = await clientOf([asksForPayment(), answers({})], { wallet });
  await truefill.quote(request);
  const { payload } = JSON.parse(Buffer.from(shop.signatures[1] ?? '', 'base64').toString());
  expect(payload.authorization.from).toBe(account.address);
  expect(payload.signature).toMatch(/^0x[0-9a-f]{130}$/);
});
