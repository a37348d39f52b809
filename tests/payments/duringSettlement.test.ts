import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PaymentConfig } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

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
  let held = false;
  return async (phase, _network, work) => {
    const verdict = await work();
    if (phase === 'verify' && !held) {
      held = true;
      await until();
    }
    return verdict;
  };
}

test('behavior: a settlement that outlasts its deadline completes, and the retry is served without a second charge', async () => {
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

test('behavior: a payment that expires during its settlement is awaited, not refused', async () => {
  let late = 0;
  let releaseClaim: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const now = () => Date.now() + late;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      now,
      ledger: {
        ...config.ledger,
        // Claimed and verified; its transaction is not signed yet.
        journalNext: (...step) => held.then(() => config.ledger.journalNext(...step)),
      },
    }),
  });
  const another = await fixture.openPaymentService({
    change: (config) => ({ ...config, now, ledger, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const attempt = attemptOf(payload);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const key = `eip155:8453|${fixture.chain.usdc}|${payer.address}|${nonce}`.toLowerCase();
  const deciding = paymentService.decide(attempt);
  const isClaimed = async () => (await ledger.load(key))?.state === 'claimed';
  await expect.poll(isClaimed).toBe(true);
  // The client retries when too little time is left for a new settlement.
  late = 175_000;
  const again = paymentService.decide(attempt);
  expect(await another.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  releaseClaim();
  const [first, second] = await Promise.all([
    deciding.then(async (decision) => {
      if (decision.kind === 'serve') await decision.complete(answerTo('late'));
      return decision.kind;
    }),
    again.then(({ kind }) => kind),
  ]);
  expect([first, second]).toEqual(['serve', 'replay']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await another.close();
  await close();
});

test('behavior: a payment that expires during its verification is served once and replayed to the concurrent request', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  const { paymentService, close } = await fixture.openPaymentService({ change: (config) => ({ ...config, now }) });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const begin = new EventEmitter();
  let looked = 0;
  // Verified, and waiting in `beforeCharge`.
  const waiting = {
    ...attempt,
    beforeCharge: async () => {
      looked += 1;
      await once(begin, 'first');
      return undefined;
    },
  };
  const deciding = paymentService.decide(waiting);
  await expect.poll(() => looked).toBe(1);
  late = 175_000;
  const again = paymentService.decide(attempt).then(({ kind }) => kind);
  // Long enough for a second verification.
  await sleep(200);
  begin.emit('first');
  const first = await deciding;
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect([first.kind, await again]).toEqual(['serve', 'replay']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  // Without a concurrent attempt it is refused as expired.
  const other = attemptOf(await fixture.sign(paymentService, payer));
  late = 355_000;
  expect(await paymentService.decide(other)).toMatchObject({ status: 402 });
  await close();
});

test('behavior: a request that loads the payment while another one is refused gets the same refusal, uncharged', async () => {
  const events = new EventEmitter();
  let looks = 0;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async load(key) {
          looks += 1;
          const row = await config.ledger.load(key);
          // The second attempt's lookup is slow.
          if (looks === 2) await once(events, 'looked');
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
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  events.emit('refuse');
  expect(await first).toMatchObject({ status: 402 });
  await fixture.give(payer.address, price);
  events.emit('looked');
  expect(await second).toMatchObject({ status: 402 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  // An attempt after the refusal settles.
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a request that loads the payment while the verification of another one fails gets the same refusal, uncharged', async () => {
  const events = new EventEmitter();
  let looks = 0;
  let late = 175_000;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      now: () => Date.now() + late,
      ledger: {
        ...config.ledger,
        async load(key) {
          looks += 1;
          const row = await config.ledger.load(key);
          if (looks === 2) await once(events, 'looked');
          return row;
        },
      },
      watch: delayVerification(() => once(events, 'verified')),
    }),
  });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  // Expired by our clock, which is then corrected.
  const first = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('verified')).toBe(1);
  const second = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  late = 0;
  events.emit('verified');
  expect(await first).toMatchObject({ status: 402 });
  events.emit('looked');
  expect(await second).toMatchObject({ status: 402 });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: an expired payment is not refused when another replica claimed it during the verification', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, now }),
  });
  const begin = new EventEmitter();
  const watch = delayVerification(() => once(begin, 'again'));
  const another = await fixture.openPaymentService({ change: (config) => ({ ...config, now, ledger, watch }) });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  // Looked up and verified, and waiting in `beforeCharge`.
  const deciding = paymentService.decide({
    ...attempt,
    beforeCharge: () => once(begin, 'first').then(() => undefined),
  });
  await expect.poll(() => begin.listenerCount('first')).toBe(1);
  late = 175_000;
  const again = another.paymentService.decide(attempt);
  await expect.poll(() => begin.listenerCount('again')).toBe(1);
  begin.emit('first');
  const first = await deciding;
  begin.emit('again');
  expect(first.kind).toBe('serve');
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect(await again).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await another.close();
  await close();
});
