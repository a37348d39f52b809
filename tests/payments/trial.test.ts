import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/rpcProxy.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import {
  answerTo,
  assertServed,
  attemptOf,
  type OpenOptions,
  openPaymentFixture,
  type PaymentFixture,
  price,
  withTrial,
} from './paymentFixture.ts';

// Free first calls. The tests assert on USDC balances.

let fixture: PaymentFixture;
beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(() => fixture?.close());

const open = (options: OpenOptions = {}) => fixture.openPaymentService({ change: withTrial, ...options });

/** Serves the payment; returns whether it was free. */
async function buy(
  paymentService: PaymentService,
  payload: Parameters<typeof attemptOf>[0],
  input?: string,
): Promise<boolean> {
  const decision = assertServed(await paymentService.decide(attemptOf(payload, input)));
  await decision.complete(answerTo(input ?? ''));
  return decision.free === true;
}

test('default: the first call of a wallet is free, the second one charges the price', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(3n * price);

  const first = assertServed(await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer))));
  expect(first.free).toBe(true);
  expect(decodePaymentResponseHeader(first.paymentResponse)).toMatchObject({
    success: true,
    transaction: '',
    network: 'eip155:8453',
    payer: payer.address,
    amount: '0',
    extra: { freeTrial: true },
  });
  await first.complete(answerTo('first'));
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);

  expect(await buy(paymentService, await fixture.sign(paymentService, payer))).toBe(false);
  expect(await buy(paymentService, await fixture.sign(paymentService, payer), '{"size":"2"}')).toBe(false);
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('default: an offer without a trial group has no free call', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(price);
  expect(await buy(paymentService, await fixture.sign(paymentService, payer))).toBe(false);
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: after a restart, replays the answer of the free call and charges the next call', async () => {
  const file = fixture.newLedgerFile();
  const payer = await fixture.newPayer(2n * price);
  const before = await open({ file });
  const payload = await fixture.sign(before.paymentService, payer);
  expect(await buy(before.paymentService, payload)).toBe(true);
  await before.close();

  const after = await open({ file });
  expect(await after.paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'replay', answer: answerTo('') });
  expect(await after.paymentService.decide(attemptOf(payload, '{"size":"9"}'))).toMatchObject({
    kind: 'refuse',
    status: 409,
  });
  expect(await buy(after.paymentService, await fixture.sign(after.paymentService, payer))).toBe(false);
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await after.close();
});

test('behavior: one of ten concurrent first calls of a new wallet is free, nine are charged', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(20n * price);
  const payloads = await Promise.all(Array.from({ length: 10 }, () => fixture.sign(paymentService, payer)));
  const free = await Promise.all(payloads.map((payload, n) => buy(paymentService, payload, `{"size":"${n + 1}"}`)));
  expect(free.filter(Boolean)).toHaveLength(1);
  expect(await fixture.usdcOf(payer.address)).toBe(11n * price);
  await close();
});

test('behavior: ten concurrent identical first calls use one free call and get ten answers', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  let runs = 0;
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const decision = await paymentService.decide(attemptOf(payload));
      if (decision.kind === 'replay') return decision.answer;
      if (decision.kind === 'refuse') throw new Error(decision.detail);
      runs += 1;
      await decision.complete(answerTo('once'));
      return answerTo('once');
    }),
  );
  expect(runs).toBe(1);
  expect(answers).toEqual(Array.from({ length: 10 }, () => answerTo('once')));
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('behavior: a free call whose answer failed remains available to the same request and to a new one', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await assertServed(await paymentService.decide(attemptOf(payload))).fail('RPC down');
  await assertServed(await paymentService.decide(attemptOf(payload))).fail('still down');
  expect(await buy(paymentService, payload)).toBe(true);

  const other = await fixture.newPayer(price);
  await assertServed(await paymentService.decide(attemptOf(await fixture.sign(paymentService, other)))).fail(
    'RPC down',
  );
  expect(await buy(paymentService, await fixture.sign(paymentService, other))).toBe(true);
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  expect(await fixture.usdcOf(other.address)).toBe(price);
  await close();
});

test('behavior: a concurrent request of a free call whose answer fails gets a 503, uncharged', async () => {
  const { paymentService, close } = await open();
  const payload = await fixture.sign(paymentService, await fixture.newPayer(price));
  const first = assertServed(await paymentService.decide(attemptOf(payload)));
  const joined = paymentService.decide(attemptOf(payload));
  await first.fail('RPC down');
  expect(await joined).toMatchObject({
    kind: 'refuse',
    status: 503,
    detail: expect.stringMatching(/Nothing was charged.*same PAYMENT-SIGNATURE/),
  });
  await close();
});

test('behavior: a free call remains available when the process stops before its answer', async () => {
  const file = fixture.newLedgerFile();
  const [retrying, newRequest] = [await fixture.newPayer(price), await fixture.newPayer(price)];
  const before = await open({ file });
  const payload = await fixture.sign(before.paymentService, retrying);
  assertServed(await before.paymentService.decide(attemptOf(payload)));
  assertServed(await before.paymentService.decide(attemptOf(await fixture.sign(before.paymentService, newRequest))));
  await before.close();

  const after = await open({ file });
  expect(await buy(after.paymentService, payload)).toBe(true);
  expect(await buy(after.paymentService, await fixture.sign(after.paymentService, newRequest))).toBe(true);
  expect(await fixture.usdcOf(retrying.address)).toBe(price);
  expect(await fixture.usdcOf(newRequest.address)).toBe(price);
  await after.close();
});

test.each([
  [
    'a wallet without the price',
    'invalid_exact_evm_insufficient_balance',
    async () => fixture.newPayer(price - 1n),
    {},
  ],
  [
    'an authorization of less than the price',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    async () => fixture.newPayer(price),
    { value: 1n },
  ],
  [
    'an expired authorization',
    'invalid_exact_evm_payload_authorization_valid_before',
    async () => fixture.newPayer(price),
    { validBefore: 1n },
  ],
])('error: 402 for %s; the free call remains available', async (_case, reason, newPayer, changes) => {
  const { paymentService, close } = await open();
  const payer = await newPayer();
  const refused = await paymentService.decide(attemptOf(await fixture.signAltered(paymentService, payer, changes)));
  expect(refused).toMatchObject({ kind: 'refuse', status: 402 });
  if (refused.kind !== 'refuse') return;
  const challenge = Buffer.from(refused.headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString();
  expect(challenge).toContain(reason);
  await fixture.give(payer.address, price);
  expect(await buy(paymentService, await fixture.sign(paymentService, payer))).toBe(true);
  await close();
});

test('error: 402 for a signature by another account and a cancelled authorization; the free call remains available', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(3n * price);
  const otherPayload = await fixture.sign(paymentService, await fixture.newPayer(0n));
  const validPayload = await fixture.sign(paymentService, payer);
  const forged = { ...validPayload, payload: { ...validPayload.payload, signature: otherPayload.payload.signature } };
  expect(await paymentService.decide(attemptOf(forged))).toMatchObject({ kind: 'refuse', status: 402 });

  const cancelled = await fixture.sign(paymentService, payer);
  await fixture.cancel(payer, cancelled);
  expect(await paymentService.decide(attemptOf(cancelled))).toMatchObject({ kind: 'refuse', status: 402 });

  expect(await buy(paymentService, validPayload)).toBe(true);
  await close();
});

test('error: UPSTREAM_UNAVAILABLE while the chain is unreachable; the free call remains available', async () => {
  const proxy = await startRpcProxy(fixture.chain.rpcUrl);
  const { paymentService, close } = await open({ rpcUrl: proxy.url });
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  proxy.fault = () => ({ kind: 'drop' });
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
  });
  proxy.fault = () => undefined;
  expect(await buy(paymentService, payload)).toBe(true);
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
  await proxy.close();
});

test('error: 429, uncharged, above FREE_TRIALS_PER_IP; the free call remains available from another IP address', async () => {
  const { paymentService, close } = await open({ change: (config) => ({ ...withTrial(config), freeTrialsPerIp: 2 }) });
  const attemptFrom = async (client: string) => {
    const payer = await fixture.newPayer(price);
    return { payer, attempt: { ...attemptOf(await fixture.sign(paymentService, payer)), client } };
  };
  const calls = [
    await attemptFrom('192.0.2.1'),
    await attemptFrom('192.0.2.1'),
    await attemptFrom('192.0.2.1'),
    await attemptFrom('192.0.2.2'),
  ];
  const decisions = await Promise.all(calls.map(({ attempt }) => paymentService.decide(attempt)));
  const limited = decisions.findIndex(({ kind }) => kind === 'refuse');
  expect(limited).toBeLessThan(3);
  expect(decisions.filter(({ kind }) => kind === 'serve')).toHaveLength(3);
  expect(decisions[limited]).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  const { payer } = calls[limited] as (typeof calls)[number];
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  // The wallet can use its free call from another IP address.
  const fromOtherIp = { ...attemptOf(await fixture.sign(paymentService, payer)), client: '192.0.2.2' };
  expect(assertServed(await paymentService.decide(fromOtherIp))).toMatchObject({ free: true });
  await close();
});
