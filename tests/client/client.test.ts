import { declarePaymentIdentifierExtension, validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  NoPaymentOptionError,
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
import { failureOf } from '../support/failureOf.ts';
import { encode, offer, paid, type ScriptedService, startScriptedService, unpaid } from './scriptedService.ts';

// The client against a service or a connection that fails. tests/surfaces/sandboxJourney.test.ts buys from a real service.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;
const quick = { attempts: 3, attemptMs: 5_000, longestWaitMs: 5 };

let server: ScriptedService;
afterEach(() => server?.close());

async function clientOf(
  steps: Parameters<typeof startScriptedService>[0],
  more: Partial<TruefillClientOptions> = {},
): Promise<ReturnType<typeof createTruefillClient>> {
  server = await startScriptedService(steps);
  return createTruefillClient({ url: server.url, wallet: account, retry: quick, ...more });
}

test('default: the paths of the client equal those of the router', () => {
  expect(paths).toEqual(Object.fromEntries(catalogue.map(({ name, path }) => [name, path])));
});

test('default: signs once, sends the same body again and reports the receipt', async () => {
  const receipts: Receipt[] = [];
  const stages: string[] = [];
  const truefill = await clientOf([unpaid(), paid({ amountOut: '7' })], {
    onReceipt: (receipt) => receipts.push(receipt),
    onProgress: ({ stage }) => stages.push(stage),
  });
  const quote = await truefill.quote(request);
  expectTypeOf(quote.amountOut).toEqualTypeOf<string>();
  expect(quote.amountOut).toBe('7');
  expect(server.signatures[0]).toBeUndefined();
  expect(server.bodies[1]).toBe(server.bodies[0]);
  expect(receipts).toEqual([
    { network: 'eip155:8453', transaction: '0xaa', payer: '0xbb', paidUsd: 0.02, free: false, replayed: false },
  ]);
  expect(stages).toEqual(['priced', 'settling']);
  expect(truefill.spentUsd).toBe(0.02);
});

test('behavior: sends the same signature again after a server error, 429 or a lost connection', async () => {
  for (const fault of [
    { status: 503, headers: { 'retry-after': '0' }, body: { code: 'SETTLEMENT_UNKNOWN', detail: 'Again.' } },
    { status: 503, raw: '<html>a proxy</html>' },
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 500 },
    { status: 502, raw: '<html>a proxy</html>', headers: { 'retry-after': '0' } },
    'hang up' as const,
  ]) {
    const truefill = await clientOf([unpaid(), fault, fault, paid({ amountOut: '7' })]);
    await truefill.quote(request);
    expect(server.signatures).toHaveLength(4);
    expect(new Set(server.signatures.slice(1)).size).toBe(1);
    expect(truefill.spentUsd).toBe(0.02);
    await server.close();
  }
});

test('error: a refused payment is not signed again, and counts until it expires', async () => {
  const reason = { 'payment-required': encode({ ...offer(), error: 'invalid_exact_evm_insufficient_balance' }) };
  const truefill = await clientOf([
    unpaid(),
    { status: 402, headers: reason, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor.', charged: false } },
  ]);
  const error = await failureOf(truefill.quote(request));
  expect(error).toBeInstanceOf(PaymentRefusedError);
  expect(error).toMatchObject({ reason: 'invalid_exact_evm_insufficient_balance' });
  expect(server.signatures).toHaveLength(2);
  expect(truefill.spentUsd).toBe(0.02);
});

test('error: RequestRefusedError with the issues when the service refuses the request', async () => {
  const issues = [{ path: 'sizeIn', message: 'Must be a decimal.' }];
  const truefill = await clientOf([{ status: 400, body: { code: 'INVALID_REQUEST', detail: 'Broken.', issues } }]);
  const error = await failureOf(truefill.quote(request));
  expect(error).toBeInstanceOf(RequestRefusedError);
  expect(error).toMatchObject({ body: { status: 400, code: 'INVALID_REQUEST', issues } });
  expect(String(error)).toContain('sizeIn: Must be a decimal.');
});

test('error: UnavailableError when the service is unreachable or returns 503 before signing', async () => {
  const truefill = await clientOf([]);
  expect(await failureOf(truefill.quote(request))).toBeInstanceOf(UnavailableError);
  expect(server.signatures).toEqual([undefined, undefined, undefined]);
  await server.close();
  const later = await clientOf(Array(3).fill({ status: 503, headers: { 'retry-after': '0' } }));
  expect(await failureOf(later.quote(request))).toBeInstanceOf(UnavailableError);
  expect(await failureOf((await clientOf([])).health())).toBeInstanceOf(UnavailableError);
});

test('error: SpendLimitError above the limit; a free call counts until its payment expires', async () => {
  const overLimit = await clientOf([unpaid('20000')], { spendLimit: { perCallUsd: 0.01 } });
  expect(await failureOf(overLimit.quote(request))).toMatchObject({
    name: 'SpendLimitError',
    priceUsd: 0.02,
    limitUsd: 0.01,
  });
  expect(server.signatures).toEqual([undefined]);
  await server.close();

  const free = { amount: '0', transaction: '', extra: { freeTrial: true } };
  const steps = [paid({}, free), paid({}), unpaid()].flatMap((step) => [unpaid(), step]);
  const truefill = await clientOf(steps, { spendLimit: { totalUsd: 0.04 } });
  await truefill.quote(request);
  expect(truefill.spentUsd).toBe(0.02);
  await truefill.quote(request);
  expect(truefill.spentUsd).toBe(0.04);
  const error = await failureOf(truefill.quote(request));
  expect(error).toBeInstanceOf(SpendLimitError);
  expect(error).toMatchObject({ which: 'totalUsd', limitUsd: 0, heldUsd: 0.02 });
  expect(String(error)).toContain('can still be charged hold 0.02 USD until they expire');
  expect(() => createTruefillClient({ url: '', wallet: account, spendLimit: { totalUsd: Number.NaN } })).toThrow(
    RangeError,
  );
});

test('error: NoPaymentOptionError for another token, a network without a wallet, or a long validity', async () => {
  const strange = { ...offer(), accepts: offer().accepts.map((one) => ({ ...one, asset: `0x${'22'.repeat(20)}` })) };
  const longLived = { ...offer(), accepts: offer().accepts.map((one) => ({ ...one, maxTimeoutSeconds: 315_360_000 })) };
  for (const step of [
    unpaid('20000', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
    { status: 402, headers: { 'payment-required': encode(strange) }, body: {} },
    { status: 402, headers: { 'payment-required': encode(longLived) }, body: {} },
  ]) {
    const truefill = await clientOf([step]);
    expect(await failureOf(truefill.quote(request))).toBeInstanceOf(NoPaymentOptionError);
    expect(server.signatures).toEqual([undefined]);
    expect(truefill.spentUsd).toBe(0);
    await server.close();
  }
  const elsewhere = await clientOf([unpaid()], { payOn: 'eip155:137' });
  expect(await failureOf(elsewhere.quote(request))).toBeInstanceOf(NoPaymentOptionError);
});

test('behavior: pays up to perCallUsd, also above 1 USD; the default is 1 USD', async () => {
  const dear = await clientOf([unpaid('2000000'), paid({ amountOut: '7' })], { spendLimit: { perCallUsd: 2 } });
  await dear.quote(request);
  expect(dear.spentUsd).toBe(2);
  await server.close();
  const error = await failureOf((await clientOf([unpaid('2000000')])).quote(request));
  expect(error).toBeInstanceOf(SpendLimitError);
  expect(String(error)).toContain('The call costs 2 USD, but spendLimit.perCallUsd is 1 USD.');
  expect(server.signatures).toEqual([undefined]);
});

test('error: UnexpectedAnswerError when the response is not from a truefill service', async () => {
  for (const step of [
    { status: 200, raw: '<html>' },
    { status: 200, raw: '[1]' },
    { status: 402, body: {} },
    { status: 402, headers: { 'payment-required': '%%%' }, body: {} },
  ]) {
    expect(await failureOf((await clientOf([step])).quote(request))).toBeInstanceOf(UnexpectedAnswerError);
    await server.close();
  }
});

const sandboxName = 'USD Coin (truefill sandbox)';

test('error: SandboxError for a sandbox without allowSandbox, and for a live service with allowSandbox only', async () => {
  const asSandbox = unpaid('20000', 'eip155:8453', sandboxName);
  const refused = await clientOf([asSandbox]);
  const error = await failureOf(refused.quote(request));
  expect(error).toBeInstanceOf(SandboxError);
  expect(String(error)).toContain('allowSandbox: true');
  expect(server.signatures).toEqual([undefined]);
  expect(refused.spentUsd).toBe(0);
  await server.close();

  for (const allowSandbox of [true, 'only'] as const) {
    await (await clientOf([asSandbox, paid({ amountOut: '7' })], { allowSandbox })).quote(request);
    expect(server.signatures[1]).toBeTruthy();
    await server.close();
  }

  const mixed = { ...offer(), accepts: [...offer('20000', 'eip155:8453', sandboxName).accepts, ...offer().accepts] };
  for (const step of [
    unpaid(),
    unpaid('20000', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
    { status: 402, headers: { 'payment-required': encode(mixed) }, body: {} },
  ]) {
    const demo = await clientOf([step], { allowSandbox: 'only' });
    expect(await failureOf(demo.quote(request))).toBeInstanceOf(SandboxError);
    expect(server.signatures).toEqual([undefined]);
    await server.close();
  }
  const real = await clientOf([unpaid(), paid({ amountOut: '7' })], { allowSandbox: true });
  await real.quote(request);
});

test('behavior: onSigned receives the payment before it is sent; if it throws, nothing is sent', async () => {
  const kept: PendingCall[] = [];
  const truefill = await clientOf([unpaid(), 'hang up', 'hang up', 'hang up', paid({ amountOut: '7' })], {
    onSigned: (pending) => {
      expect(server.signatures).toHaveLength(1);
      kept.push(pending);
    },
  });
  await failureOf(truefill.quote(request));
  expect(kept.map(({ paymentSignature }) => paymentSignature)).toEqual([server.signatures[1]]);
  expect(await truefill.resume(kept[0] as PendingCall)).toEqual({ amountOut: '7' });
  await server.close();

  const full = await clientOf([unpaid()], {
    onSigned: () => {
      throw new Error('The disk is full.');
    },
  });
  expect(String(await failureOf(full.quote(request)))).toContain('The disk is full.');
  expect(server.signatures).toEqual([undefined]);
  // The callback received the signature, so it counts until it expires.
  expect(full.spentUsd).toBe(0.02);
});

test('error: AnswerPendingError after a signature unless the service itself refuses the request', async () => {
  for (const strange of [
    { status: 200, raw: '<html>Please sign in to this network</html>' },
    { status: 200, raw: '[1]' },
    { status: 404, body: { error: 'no such host' } },
    { status: 302, body: {} },
  ]) {
    const truefill = await clientOf([unpaid(), strange]);
    expect(await failureOf(truefill.quote(request))).toBeInstanceOf(AnswerPendingError);
    expect(truefill.spentUsd).toBe(0.02);
    await server.close();
  }
  const reused = { status: 409, body: { code: 'PAYMENT_REUSED', detail: 'You were charged and answered.' } };
  const truefill = await clientOf([unpaid(), reused]);
  expect(await failureOf(truefill.quote(request))).toBeInstanceOf(RequestRefusedError);
  expect(truefill.spentUsd).toBe(0.02);
});

test('default: sign returns the header for a 402, with a payment-identifier if the offer declares one', async () => {
  const truefill = await clientOf([], { spendLimit: { totalUsd: 0.02 } });
  const named = { ...offer(), extensions: { 'payment-identifier': declarePaymentIdentifierExtension(false) } };
  const signed = JSON.parse(Buffer.from(await truefill.sign(encode(named)), 'base64').toString());
  expect(signed.accepted).toEqual(offer().accepts[0]);
  expect(validatePaymentIdentifier(signed.extensions['payment-identifier'])).toEqual({ valid: true });
  expect(signed.extensions['payment-identifier'].info.id).toMatch(/^[0-9a-f]{32}$/);
  expect(await failureOf(truefill.sign(encode(named)))).toBeInstanceOf(SpendLimitError);
  expect(await failureOf(truefill.sign('%%%'))).toBeInstanceOf(UnexpectedAnswerError);
});

test('behavior: a verdict that this version does not support becomes unknown', async () => {
  const truefill = await clientOf([unpaid(), paid({ verdict: 'caution', triggers: [] })]);
  const check = await truefill.pretradeCheck({ token: request.tokenIn });
  expectTypeOf(check).toEqualTypeOf<PretradeCheck>();
  expectTypeOf(check.verdict).toEqualTypeOf<'avoid' | 'clear' | 'unknown'>();
  expect(check.verdict).toBe('unknown');
});

test('behavior: a viem wallet client signs with its account', async () => {
  const wallet = createWalletClient({ account, transport: http('http://127.0.0.1:1') });
  const truefill = await clientOf([unpaid(), paid({})], { wallet });
  await truefill.quote(request);
  const { payload } = JSON.parse(Buffer.from(server.signatures[1] ?? '', 'base64').toString());
  expect(payload.authorization.from).toBe(account.address);
  expect(payload.signature).toMatch(/^0x[0-9a-f]{130}$/);
});
