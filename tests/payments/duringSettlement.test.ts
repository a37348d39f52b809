import { EventEmitter, once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PaymentConfig } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';

// Expiry, replicas and concurrent requests during a verification or a settlement.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterEach(async () => {
  await fixture.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await fixture?.close();
});

/** Delays the result of the first verification until `until` resolves. */
function delayVerification(until: () => Promise<unknown>): NonNullable<PaymentConfig['watch']> {
  let isDelayed = false;
  return async (phase, _network, work) => {
    const verification = await work();
    if (phase === 'verify' && !isDelayed) {
      isDelayed = true;
      await until();
    }
    return verification;
  };
}

test('behavior: completes a settlement after its deadline, and serves the retry without a second charge', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  await fixture.rpc('evm_setAutomine', [false]);
  expect(await paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
  // anvil may leave a transaction that arrives during `anvil_mine` pending, and no later one would cause a block.
  await fixture.untilPending(1);
  await fixture.rpc('evm_setAutomine', [true]);
  await fixture.rpc('anvil_mine');
  await paymentService.close();
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: awaits the settlement of a payment that expires meanwhile', async () => {
  let isReserved = false;
  let clockOffsetMs = 0;
  let releaseClaim: () => void = () => undefined;
  const claimReleased = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const now = () => Date.now() + clockOffsetMs;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      now,
      ledger: {
        ...config.ledger,
        // At this step the payment is claimed and verified, and its transaction is not signed.
        journalNext(...step) {
          isReserved = true;
          return claimReleased.then(() => config.ledger.journalNext(...step));
        },
      },
    }),
  });
  const replica = await fixture.openPaymentService({
    change: (config) => ({ ...config, now, ledger, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const attempt = attemptOf(payload);
  const deciding = paymentService.decide(attempt);
  await expect.poll(() => isReserved).toBe(true);
  expect(await ledger.load(ledgerKeyOf(payload))).toMatchObject({ state: 'claimed' });
  // Too little time is left for a new settlement when the client retries.
  clockOffsetMs = 175_000;
  const retry = paymentService.decide(attempt);
  expect(await replica.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  releaseClaim();
  const [first, second] = await Promise.all([
    deciding.then(async (decision) => {
      if (decision.kind === 'serve') await decision.complete(answerTo('late'));
      return decision.kind;
    }),
    retry.then(({ kind }) => kind),
  ]);
  expect([first, second]).toEqual(['serve', 'replay']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await replica.close();
  await close();
});

test('behavior: serves a payment that expires during its verification once, and replays the answer to a concurrent request', async () => {
  let clockOffsetMs = 0;
  const now = () => Date.now() + clockOffsetMs;
  const { paymentService, close } = await fixture.openPaymentService({ change: (config) => ({ ...config, now }) });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const control = attemptOf(await fixture.sign(paymentService, payer));
  const events = new EventEmitter();
  let beforeChargeCalls = 0;
  // Verified, and waiting in `beforeCharge`.
  const waiting = {
    ...attempt,
    beforeCharge: async () => {
      beforeChargeCalls += 1;
      await once(events, 'charge');
      return undefined;
    },
  };
  const deciding = paymentService.decide(waiting);
  await expect.poll(() => beforeChargeCalls).toBe(1);
  clockOffsetMs = 175_000;
  const retry = paymentService.decide(attempt).then(({ kind }) => kind);
  // A payment that expired without a concurrent attempt is refused. A second verification of `retry` would end before it.
  expect(await paymentService.decide(control)).toMatchObject({ status: 402 });
  events.emit('charge');
  const first = await deciding;
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect([first.kind, await retry]).toEqual(['serve', 'replay']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a request that loads the payment during the refusal of a concurrent one gets the same refusal, uncharged', async () => {
  const events = new EventEmitter();
  let loads = 0;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async load(key) {
          loads += 1;
          const row = await config.ledger.load(key);
          // Delays the second attempt's lookup.
          if (loads === 2) await once(events, 'load');
          return row;
        },
        async refused(key, reason) {
          await once(events, 'refuse');
          await config.ledger.refused(key, reason);
        },
      },
    }),
  });
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const first = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('refuse')).toBe(1);
  const second = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('load')).toBe(1);
  events.emit('refuse');
  expect(await first).toMatchObject({ status: 402 });
  await fixture.give(payer.address, price);
  events.emit('load');
  expect(await second).toMatchObject({ status: 402 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  // An attempt after the refusal settles.
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a request that loads the payment while the verification of a concurrent one fails gets the same refusal, uncharged', async () => {
  const events = new EventEmitter();
  let loads = 0;
  let clockOffsetMs = 175_000;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      now: () => Date.now() + clockOffsetMs,
      ledger: {
        ...config.ledger,
        async load(key) {
          loads += 1;
          const row = await config.ledger.load(key);
          if (loads === 2) await once(events, 'load');
          return row;
        },
      },
      watch: delayVerification(() => once(events, 'verified')),
    }),
  });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  // The payment has expired by the service's clock, which is then corrected.
  const first = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('verified')).toBe(1);
  const second = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('load')).toBe(1);
  clockOffsetMs = 0;
  events.emit('verified');
  expect(await first).toMatchObject({ status: 402 });
  events.emit('load');
  expect(await second).toMatchObject({ status: 402 });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: SETTLEMENT_UNKNOWN, not 402, for an expired payment that another replica claimed during the verification', async () => {
  let clockOffsetMs = 0;
  const now = () => Date.now() + clockOffsetMs;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, now }),
  });
  const events = new EventEmitter();
  const watch = delayVerification(() => once(events, 'verified'));
  const replica = await fixture.openPaymentService({ change: (config) => ({ ...config, now, ledger, watch }) });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  // Loaded and verified, and waiting in `beforeCharge`.
  const deciding = paymentService.decide({
    ...attempt,
    beforeCharge: () => once(events, 'charge').then(() => undefined),
  });
  await expect.poll(() => events.listenerCount('charge')).toBe(1);
  clockOffsetMs = 175_000;
  const retry = replica.paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('verified')).toBe(1);
  events.emit('charge');
  const first = await deciding;
  events.emit('verified');
  expect(first.kind).toBe('serve');
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect(await retry).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await replica.close();
  await close();
});
