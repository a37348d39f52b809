import { expect, test, vi } from 'vitest';
import type { PaymentConfig, PaymentTimings } from '../../server/payments/paymentConfig.ts';
import { answerTo, attemptOf, price, withTrial } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

// What an earlier request of the same payment has done: sent it, or taken the wallet's free call.

const setup = useProxiedFixture();

/** Nothing happens in the background. */
const idle = { reconcileMs: 600_000, closeGraceMs: 0 } satisfies Partial<PaymentTimings>;

/** A payment whose broadcast was lost with the process that journaled it, and a second process with the same ledger. */
async function sentByAnother(change: (config: PaymentConfig) => PaymentConfig) {
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
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const key = `eip155:8453|${setup.fixture.chain.usdc}|${payer.address}|${nonce}`.toLowerCase();
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method.startsWith('eth_sendRawTransaction')) ? { kind: 'drop' } : undefined;
  const attempt = attemptOf(payload);
  expect(await first.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  await expect.poll(async () => (await ledger.load(key))?.state).toBe('sent');
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

test('behavior: settles a sent payment whose remaining validity would be too short for a new one', async () => {
  let late = 0;
  const { attempt, payer, second, close } = await sentByAnother((config) => ({
    ...config,
    now: () => Date.now() + late,
  }));
  late = 175_000;
  expect((await second.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a sent payment is a paid call, even if the wallet has not used its free call', async () => {
  const { attempt, payer, second, close } = await sentByAnother(withTrial);
  const decision = await second.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  expect(decision.free).toBeUndefined();
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: serves a free call that a concurrent request with the same payment has claimed', async () => {
  const { paymentService, ledger, close } = await setup.fixture.openPaymentService({ change: withTrial });
  const beside = await setup.fixture.openPaymentService({ change: (config) => withTrial({ ...config, ledger }) });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'serve', free: true });
  expect(await beside.paymentService.decide(attempt)).toMatchObject({ kind: 'serve', free: true });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await beside.close();
  await close();
});

test('behavior: a free call returns to its wallet when all of its clients have disconnected', async () => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const claimed = vi.fn();
  const { paymentService, close } = await setup.fixture.openPaymentService({
    change: (config) =>
      withTrial({
        ...config,
        timings: { ...config.timings, ...idle, settleDeadlineMs: 100 },
        ledger: {
          ...config.ledger,
          async claimTrial(claim) {
            if (claimed.mock.calls.length === 0) await held;
            return config.ledger.claimTrial(claim);
          },
          async failed(key, reason) {
            await config.ledger.failed(key, reason);
            claimed('given back');
          },
          async release(key) {
            await config.ledger.release(key);
            claimed('released');
          },
        },
      }),
  });
  const payer = await setup.fixture.newPayer(price);
  const left = attemptOf(await setup.fixture.sign(paymentService, payer));
  expect(await paymentService.decide(left)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  letGo();
  await expect.poll(() => claimed.mock.calls.length).toBe(1);
  // Sent again while the short deadline of this test passes first.
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

test('error: refuses an invalid payment before the chain is read for its answer', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const beforeCharge = vi.fn(async () => undefined);
  const poor = await setup.fixture.newPayer(0n);
  const payload = await setup.fixture.signAltered(paymentService, poor, { value: price - 1n });
  expect(await paymentService.decide({ ...attemptOf(payload), beforeCharge })).toMatchObject({
    kind: 'refuse',
    status: 402,
  });
  expect(beforeCharge).not.toHaveBeenCalled();
  await close();
});
