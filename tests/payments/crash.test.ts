import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentAttempt } from '../../server/payments/index.ts';
import { DatabaseInUseError, type DatabaseLocation, openStores } from '../../server/storage/index.ts';
import { type DatabaseKind, databaseKinds } from '../storage/bothDatabases.ts';
import { useDatabases } from '../storage/useDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import type { CrashPoint } from './crashingProcess.ts';
import { cleanUpProcesses, killAt, onOneDatabase, repetitions, startCrashingProcess } from './killAt.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;

let signing: Awaited<ReturnType<PaymentFixture['openPaymentService']>>;

cleanUpProcesses();
beforeAll(async () => {
  fixture = await openPaymentFixture();
  signing = await fixture.openPaymentService();
});
afterAll(async () => {
  await signing?.close();
  await fixture?.close();
});
const timeout = 60_000 + repetitions * 30_000;

/** The step at which the process is killed, and the payer's USDC at that step as a multiple of the price. */
const paymentSteps: readonly (readonly [CrashPoint, bigint])[] = [
  ['looked up', 3n],
  ['claimed', 3n],
  ['signed', 3n],
  ['journaled', 3n],
  ['mined', 2n],
  ['settled', 2n],
  ['answer computed', 2n],
];
const groupSteps = ['claimed', 'reserved', 'signed', 'journaled', 'mined', 'settled', 'answer computed'] as const;
const freeCallSteps = ['verified', 'free call taken', 'answer computed', 'answered'] as const;

/** The suite kills at each step on one of the two databases, `npm run prove:crashes` on both. */
const shareFor = <T>(kind: DatabaseKind, steps: readonly T[]): T[] =>
  shareOf([...steps], databaseKinds.length, databaseKinds.indexOf(kind));

/** The message to crashingProcess.ts: database, networks, offers, payment and the step to stop at. */
function crashTaskOf(place: DatabaseLocation, attempt: PaymentAttempt, stopAt: CrashPoint, trialGroup?: string) {
  const { networks, offers } = fixture.paymentConfig({} as never, fixture.chain.rpcUrl);
  return {
    place,
    networks,
    offers: offers.map((offer) => ({ ...offer, ...(trialGroup && { trialGroup }) })),
    attempt,
    stopAt,
  };
}

/** Restarts the service. The lease of a killed replica expires after one second. */
const reopen = (place: DatabaseLocation, trialGroup?: string) =>
  fixture.openPaymentService({
    ...place,
    ...(trialGroup && {
      change: (config) => ({ ...config, offers: config.offers.map((offer) => ({ ...offer, trialGroup })) }),
    }),
  });

async function newAttempt() {
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(signing.paymentService, payer);
  return { payer, payload, attempt: attemptOf(payload) };
}

describe.each(databaseKinds)('%s: payments in progress', { timeout }, (kind) => {
  const newPlace = useDatabases(kind);

  test.each(shareFor(kind, paymentSteps))(
    'behavior: after a kill at the step "%s", the restarted service serves the payment and charges it once',
    (point, left) =>
      onOneDatabase(newPlace, async (place) => {
        const { payer, payload, attempt } = await newAttempt();
        await killAt(crashTaskOf(place, attempt, point));
        expect(await fixture.usdcOf(payer.address)).toBe(left * price);

        const { paymentService, close } = await reopen(place);
        const decision = await paymentService.decide(attempt);
        if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
        await decision.complete(answerTo('the restarted process'));
        expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
        expect(await paymentService.decide(attempt)).toMatchObject({
          kind: 'replay',
          answer: answerTo('the restarted process'),
        });
        expect(await paymentService.decide(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });

        const next = await fixture.newPayer(price);
        expect((await paymentService.decide(attemptOf(await fixture.sign(paymentService, next)))).kind).toBe('serve');
        await close();
      }),
  );

  test('behavior: after a kill between storing and sending the answer, the restarted service replays that answer', () =>
    onOneDatabase(newPlace, async (place) => {
      const { payer, attempt } = await newAttempt();
      await killAt(crashTaskOf(place, attempt, 'answered'));
      const { paymentService, close } = await reopen(place);
      expect(await paymentService.decide(attempt)).toMatchObject({
        kind: 'replay',
        answer: { body: '{"from":"the killed process"}' },
      });
      expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
      await close();
    }));

  test('behavior: after a kill with a pending transaction, the restarted service awaits it and charges once', () =>
    onOneDatabase(newPlace, async (place) => {
      const { payer, attempt } = await newAttempt();
      await fixture.rpc('evm_setAutomine', [false]);
      const crashing = startCrashingProcess({ ...crashTaskOf(place, attempt, 'mined'), step: 'waiting to be mined' });
      await fixture.untilPending(1);
      await crashing.kill();
      const { paymentService, close } = await reopen(place);
      const deciding = paymentService.decide(attempt);
      await fixture.rpc('evm_setAutomine', [true]);
      await fixture.rpc('anvil_mine');
      expect((await deciding).kind).toBe('serve');
      expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
      await close();
    }));
});

describe.each(databaseKinds)('%s: groups', { timeout }, (kind) => {
  const newPlace = useDatabases(kind);

  test.each(shareFor(kind, groupSteps))(
    'behavior: after a kill of a group at the step "%s", the restarted service serves each payment and charges it once',
    (point) =>
      onOneDatabase(newPlace, async (place) => {
        const group = await Promise.all([1, 2, 3, 4, 5].map(newAttempt));
        const [first, ...others] = group.map(({ attempt }) => attempt);
        const before = await fixture.usdcOf(fixture.payTo);
        await killAt({ ...crashTaskOf(place, first as PaymentAttempt, point), concurrent: others });
        const { paymentService, close } = await reopen(place);
        for (const { payer, attempt } of group) {
          const decision = await paymentService.decide(attempt);
          if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
          await decision.complete(answerTo('the restarted process'));
          expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
          expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay' });
        }
        expect(await fixture.usdcOf(fixture.payTo)).toBe(before + 5n * price);
        await close();
      }),
  );

  test('behavior: after a kill at a random time, the restarted service serves each of twenty payments and charges it once', () =>
    onOneDatabase(newPlace, async (place) => {
      const payments: Awaited<ReturnType<typeof newAttempt>>[] = [];
      for (let count = 0; count < 20; count += 1) payments.push(await newAttempt());
      const [first, ...others] = payments.map(({ attempt }) => attempt);
      const before = await fixture.usdcOf(fixture.payTo);
      const task = { ...crashTaskOf(place, first as PaymentAttempt, 'begun'), concurrent: others };
      const crashing = startCrashingProcess(task);
      await crashing.stopped;
      const delayMs = Math.random() * 300;
      await sleep(delayMs);
      await crashing.kill();
      const { paymentService, ledger, close } = await reopen(place);
      const outcomes = await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt)));
      for (const decision of outcomes) {
        if (decision.kind === 'serve') await decision.complete(answerTo('the restarted process'));
        else expect(decision).toMatchObject({ kind: 'replay', answer: { body: '{"from":"the killed process"}' } });
      }
      expect(await fixture.usdcOf(fixture.payTo), `killed after ${delayMs} ms`).toBe(before + 20n * price);
      const asset = fixture.chain.usdc;
      for (const { payer, payload } of payments) {
        expect(await fixture.usdcOf(payer.address), `killed after ${delayMs} ms`).toBe(2n * price);
        const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
        const key = `eip155:8453|${asset}|${payer.address}|${nonce}`.toLowerCase();
        expect(await ledger.load(key)).toMatchObject({ state: 'answered' });
      }
      await close();
    }));

  test('behavior: the restarted service broadcasts the transaction of a group once', async () => {
    const place = await newPlace();
    const group = await Promise.all([1, 2, 3, 4, 5].map(newAttempt));
    const [first, ...others] = group.map(({ attempt }) => attempt);
    await killAt({ ...crashTaskOf(place, first as PaymentAttempt, 'journaled'), concurrent: others });
    // The lease of the killed replica expires after one second.
    await sleep(1_500);
    const proxy = await startRpcProxy(fixture.chain.rpcUrl);
    const { paymentService, close } = await fixture.openPaymentService({ ...place, rpcUrl: proxy.url });
    const broadcasts = proxy.requests.flatMap(({ calls }) =>
      calls.filter(({ method }) => method.startsWith('eth_sendRawTransaction')),
    );
    expect(broadcasts).toHaveLength(1);
    for (const { attempt } of group) expect((await paymentService.decide(attempt)).kind).toBe('serve');
    await close();
    await proxy.close();
  });
});

describe.each(databaseKinds)('%s: free calls', { timeout }, (kind) => {
  const newPlace = useDatabases(kind);

  test.each(shareFor(kind, freeCallSteps))(
    'behavior: after a kill at the step "%s", the restarted service answers the free call once, and the next call is paid',
    (point) =>
      onOneDatabase(newPlace, async (place) => {
        const { payer, attempt } = await newAttempt();
        await killAt(crashTaskOf(place, attempt, point, 'pretrade'));
        const { paymentService, close } = await reopen(place, 'pretrade');
        const decision = await paymentService.decide(attempt);
        if (point === 'answered') expect(decision.kind).toBe('replay');
        else if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
        else await decision.complete(answerTo('the restarted process'));
        expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
        expect((await paymentService.decide(attempt)).kind).toBe('replay');
        expect((await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)))).kind).toBe('serve');
        expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
        await close();
      }),
  );
});

describe.each(databaseKinds)('%s: journaled payments', { timeout }, (kind) => {
  const newPlace = useDatabases(kind);

  test('behavior: the restarted service settles a journaled payment without a request', async () => {
    const { payer, attempt } = await newAttempt();
    const place = await newPlace();
    await killAt(crashTaskOf(place, attempt, 'journaled'));
    const { paymentService, close } = await fixture.openPaymentService({
      ...place,
      change: (config) => ({ ...config, timings: { ...config.timings, reconcileMs: 200 } }),
    });
    await expect.poll(() => fixture.usdcOf(payer.address)).toBe(2n * price);
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: after a kill after the answer, the restarted service broadcasts again a payment that the chain dropped', async () => {
    const { payer, attempt } = await newAttempt();
    const place = await newPlace();
    // The dropped block must contain only the payment.
    await fixture.rpc('anvil_mine', ['0x2']);
    await killAt(crashTaskOf(place, attempt, 'answered'));
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await fixture.rpc('anvil_reorg', [1, []]);
    await fixture.rpc('anvil_dropAllTransactions');
    expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
    const { paymentService, close } = await fixture.openPaymentService({
      ...place,
      change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
    });
    await fixture.rpc('anvil_mine', ['0x5']);
    await expect.poll(() => fixture.usdcOf(payer.address)).toBe(2n * price);
    expect((await paymentService.decide(attempt)).kind).toBe('replay');
    await close();
  });

  test('behavior: a journaled payment whose account nonce was used is sent in a new transaction and charged once', async () => {
    const { payer, attempt } = await newAttempt();
    const place = await newPlace();
    await killAt(crashTaskOf(place, attempt, 'journaled'));
    const other = await fixture.openPaymentService();
    expect(
      (
        await other.paymentService.decide(
          attemptOf(await fixture.sign(other.paymentService, await fixture.newPayer(price))),
        )
      ).kind,
    ).toBe('serve');
    await other.close();

    const { paymentService, close } = await reopen(place);
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: the restarted service refuses a journaled payment that its payer has cancelled', async () => {
    const { payer, payload, attempt } = await newAttempt();
    const place = await newPlace();
    await killAt(crashTaskOf(place, attempt, 'journaled'));
    await fixture.cancel(payer, payload);
    const { paymentService, close } = await reopen(place);
    expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'refuse', status: 402 });
    expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
    await close();
  });
});

test('error: DatabaseInUseError when a database file is opened twice', async () => {
  const file = fixture.newLedgerFile();
  const stores = await openStores({ file }, Date.now);
  await expect(openStores({ file }, Date.now)).rejects.toThrow(DatabaseInUseError);
  await stores.close();
  await (await openStores({ file }, Date.now)).close();
});
