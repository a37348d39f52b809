import { expect, test, vi } from 'vitest';
import type { PaymentConfig, PaymentTimings } from '../../server/payments/paymentConfig.ts';
import { answerTo, attemptOf, price, withTrial } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

// Retries of a payment that an earlier request has sent, or that has claimed the wallet's free call.

const setup = useProxiedFixture();

/** Disables the reconciliation in the background. */
const idle = { reconcileMs: 600_000, closeGraceMs: 0 } satisfies Partial<PaymentTimings>;

/** A payment that a closed service journaled and never broadcast, and a second service with the same ledger. */
async function openAfterLostBroadcast(change: (config: PaymentConfig) => PaymentConfig) {
  const first = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, ...idle, settleDeadlineMs: 300 } }),
  });
  const { ledger } = first;
  const second = await setup.fixture.openPaymentService({
    change: (config) => change({ ...config, ledger, timings: { ...config.timings, ...idle } }),
  });
  const payer = await setup.fixture.newPayer(3n * price);
  const payload = await setup.fixture.sign(first.paymentService, payer);
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method.startsWith('eth_sendRawTransaction')) ? { kind: 'drop' } : undefined;
  const attempt = attemptOf(payload);
  expect(await first.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  await expect.poll(async () => (await ledger.load(ledgerKeyOf(payload)))?.state).toBe('sent');
  await first.paymentService.close();
  return {
    attempt,
    payer,
    second: second.paymentService,
    async close() {
      await second.close();
      await first.close();
    },
  };
}

test('behavior: settles a sent payment whose remaining validity would be too short for a new payment', async () => {
  let clockOffsetMs = 0;
  const { attempt, payer, second, close } = await openAfterLostBroadcast((config) => ({
    ...config,
    now: () => Date.now() + clockOffsetMs,
  }));
  clockOffsetMs = 175_000;
  expect((await second.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: charges a sent payment, and keeps the wallet’s free call', async () => {
  const { attempt, payer, second, close } = await openAfterLostBroadcast(withTrial);
  const decision = await second.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  expect(decision.free).toBeUndefined();
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: serves a free call that another service with the same ledger has claimed for the same payment', async () => {
  const { paymentService, ledger, close } = await setup.fixture.openPaymentService({ change: withTrial });
  const concurrent = await setup.fixture.openPaymentService({ change: (config) => withTrial({ ...config, ledger }) });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  const decided = await paymentService.decide(attempt);
  expect(decided).toMatchObject({ kind: 'serve', free: true, ticket: { free: true } });
  expect(await concurrent.paymentService.decide(attempt)).toMatchObject({ kind: 'serve', free: true });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await concurrent.close();
  await close();
});

test('behavior: releases a free call whose claim outlasted the settlement deadline of its request', async () => {
  let releaseClaim: () => void = () => undefined;
  const claimReleased = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const released = vi.fn();
  const { paymentService, close } = await setup.fixture.openPaymentService({
    change: (config) =>
      withTrial({
        ...config,
        timings: { ...config.timings, ...idle, settleDeadlineMs: 100 },
        ledger: {
          ...config.ledger,
          async claimTrial(claim) {
            if (released.mock.calls.length === 0) await claimReleased;
            return config.ledger.claimTrial(claim);
          },
          async failed(key, reason) {
            await config.ledger.failed(key, reason);
            released('failed');
          },
          async release(key) {
            await config.ledger.release(key);
            released('released');
          },
        },
      }),
  });
  const payer = await setup.fixture.newPayer(price);
  const timedOut = attemptOf(await setup.fixture.sign(paymentService, payer));
  expect(await paymentService.decide(timedOut)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  releaseClaim();
  await expect.poll(() => released.mock.calls.length).toBe(1);
  // Retries, because the short deadline of this test can pass first.
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer), '{"size":"2"}');
  const next = await vi.waitUntil(
    async () => {
      const decision = await paymentService.decide(attempt);
      return decision.kind === 'serve' && decision;
    },
    { timeout: 60_000 },
  );
  expect(next.free).toBe(true);
  await next.complete(answerTo('free'));
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('error: refuses an invalid payment without a call of `beforeCharge`', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const beforeCharge = vi.fn(async () => undefined);
  const unfunded = await setup.fixture.newPayer(0n);
  const payload = await setup.fixture.signAltered(paymentService, unfunded, { value: price - 1n });
  expect(await paymentService.decide({ ...attemptOf(payload), beforeCharge })).toMatchObject({
    kind: 'refuse',
    status: 402,
  });
  expect(beforeCharge).not.toHaveBeenCalled();
  await close();
});
