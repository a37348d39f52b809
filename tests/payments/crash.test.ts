import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentAttempt, PaymentConfig } from '../../server/payments/index.ts';
import { DatabaseInUseError, type DatabaseLocation, openStores } from '../../server/storage/index.ts';
import { type DatabaseKind, databaseKinds } from '../storage/bothDatabases.ts';
import { useDatabases } from '../storage/useDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import type { CrashPoint } from './crashingProcess.ts';
import { cleanUpProcesses, killAt, onOneDatabase, repetitions, startCrashingProcess } from './killAt.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { passTime } from './waitForChain.ts';

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

/** `npm test` kills at each step on one of the two databases, `npm run prove:crashes` on both. */
const shareFor = <T>(kind: DatabaseKind, steps: readonly T[]): T[] =>
  shareOf([...steps], databaseKinds.length, databaseKinds.indexOf(kind));

/** The message to crashingProcess.ts. `trialGroup`: offers a free first call. */
function crashTaskOf(location: DatabaseLocation, attempt: PaymentAttempt, stopAt: CrashPoint, trialGroup?: string) {
  const { networks, offers } = fixture.paymentConfig({} as never, fixture.chain.rpcUrl);
  return {
    location,
    networks,
    offers: offers.map((offer) => ({ ...offer, ...(trialGroup && { trialGroup }) })),
    attempt,
    stopAt,
  };
}

/** Restarts the service. The lease of a killed replica expires after one second. */
const reopen = (location: DatabaseLocation, trialGroup?: string) =>
  fixture.openPaymentService({
    ...location,
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
  const newLocation = useDatabases(kind);

  test.each(shareFor(kind, paymentSteps))(
    'behavior: after a kill at the step "%s", the restarted service serves and charges the payment once',
    (point, remainingPrices) =>
      onOneDatabase(newLocation, async (location) => {
        const { payer, payload, attempt } = await newAttempt();
        await killAt(crashTaskOf(location, attempt, point));
        expect(await fixture.usdcOf(payer.address)).toBe(remainingPrices * price);

        const { paymentService, close } = await reopen(location);
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

  test('behavior: after a kill between storing and sending the answer, the restarted service replays the answer', () =>
    onOneDatabase(newLocation, async (location) => {
      const { payer, attempt } = await newAttempt();
      await killAt(crashTaskOf(location, attempt, 'answered'));
      const { paymentService, close } = await reopen(location);
      expect(await paymentService.decide(attempt)).toMatchObject({
        kind: 'replay',
        answer: { body: '{"from":"the killed process"}' },
      });
      expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
      await close();
    }));

  test('behavior: after a kill with a pending transaction, the restarted service awaits that transaction and charges once', () =>
    onOneDatabase(newLocation, async (location) => {
      const { payer, attempt } = await newAttempt();
      await fixture.rpc('evm_setAutomine', [false]);
      const crashing = startCrashingProcess({
        ...crashTaskOf(location, attempt, 'mined'),
        step: 'waiting to be mined',
      });
      await fixture.untilPending(1);
      await crashing.kill();
      const { paymentService, close } = await reopen(location);
      const deciding = paymentService.decide(attempt);
      await fixture.rpc('evm_setAutomine', [true]);
      await fixture.rpc('anvil_mine');
      expect((await deciding).kind).toBe('serve');
      expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
      await close();
    }));
});

describe.each(databaseKinds)('%s: groups', { timeout }, (kind) => {
  const newLocation = useDatabases(kind);

  test.each(shareFor(kind, groupSteps))(
    'behavior: after a kill during a group at the step "%s", the restarted service serves and charges each payment once',
    (point) =>
      onOneDatabase(newLocation, async (location) => {
        const group = await Promise.all([1, 2, 3, 4, 5].map(newAttempt));
        const [first, ...others] = group.map(({ attempt }) => attempt);
        const before = await fixture.usdcOf(fixture.payTo);
        await killAt({ ...crashTaskOf(location, first as PaymentAttempt, point), concurrent: others });
        const { paymentService, close } = await reopen(location);
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

  test('behavior: after a kill at a random time, the restarted service serves and charges each of twenty payments once', () =>
    onOneDatabase(newLocation, async (location) => {
      const payments: Awaited<ReturnType<typeof newAttempt>>[] = [];
      for (let count = 0; count < 20; count += 1) payments.push(await newAttempt());
      const [first, ...others] = payments.map(({ attempt }) => attempt);
      const before = await fixture.usdcOf(fixture.payTo);
      const task = { ...crashTaskOf(location, first as PaymentAttempt, 'payments begun'), concurrent: others };
      const crashing = startCrashingProcess(task);
      await crashing.stopped;
      const delayMs = Math.random() * 300;
      await sleep(delayMs);
      await crashing.kill();
      const { paymentService, ledger, close } = await reopen(location);
      const outcomes = await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt)));
      for (const decision of outcomes) {
        if (decision.kind === 'serve') await decision.complete(answerTo('the restarted process'));
        else expect(decision).toMatchObject({ kind: 'replay', answer: { body: '{"from":"the killed process"}' } });
      }
      expect(await fixture.usdcOf(fixture.payTo), `killed after ${delayMs} ms`).toBe(before + 20n * price);
      for (const { payer, payload } of payments) {
        expect(await fixture.usdcOf(payer.address), `killed after ${delayMs} ms`).toBe(2n * price);
        expect(await ledger.load(ledgerKeyOf(payload))).toMatchObject({ state: 'answered' });
      }
      await close();
    }));

  test('behavior: broadcasts a journaled group once after a restart', async () => {
    const location = await newLocation();
    const group = await Promise.all([1, 2, 3, 4, 5].map(newAttempt));
    const [first, ...others] = group.map(({ attempt }) => attempt);
    await killAt({ ...crashTaskOf(location, first as PaymentAttempt, 'journaled'), concurrent: others });
    const proxy = await startRpcProxy(fixture.chain.rpcUrl);
    const { paymentService, close } = await fixture.openPaymentService({
      ...location,
      rpcUrl: proxy.url,
      change: (config) => ({ ...config, timings: { ...config.timings, reconcileMs: 100 } }),
    });
    const broadcasts = () =>
      proxy.requests.flatMap(({ calls }) => calls.filter(({ method }) => method.startsWith('eth_sendRawTransaction')));
    // The reconciliation takes the group over when the lease of the killed replica has expired.
    await expect.poll(() => broadcasts().length).toBe(1);
    for (const { attempt } of group) expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(broadcasts()).toHaveLength(1);
    await close();
    await proxy.close();
  });
});

describe.each(databaseKinds)('%s: free calls', { timeout }, (kind) => {
  const newLocation = useDatabases(kind);

  test.each(shareFor(kind, freeCallSteps))(
    'behavior: after a kill at the step "%s", the restarted service answers the free call, and charges the next call',
    (point) =>
      onOneDatabase(newLocation, async (location) => {
        const { payer, attempt } = await newAttempt();
        await killAt(crashTaskOf(location, attempt, point, 'pretrade'));
        const { paymentService, close } = await reopen(location, 'pretrade');
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
  const newLocation = useDatabases(kind);
  const change = ({ timings, ...config }: PaymentConfig) => ({
    ...config,
    timings: { ...timings, reconcileMs: 200, recheckMs: 50 },
  });

  test('behavior: settles a journaled payment after a restart without a request', async () => {
    const { payer, attempt } = await newAttempt();
    const location = await newLocation();
    await killAt(crashTaskOf(location, attempt, 'journaled'));
    const { paymentService, close } = await fixture.openPaymentService({ ...location, change });
    await expect.poll(() => fixture.usdcOf(payer.address)).toBe(2n * price);
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: rebroadcasts an answered payment after a restart when a reorganisation dropped its transaction', async () => {
    const { payer, attempt } = await newAttempt();
    const location = await newLocation();
    // Mine blocks first, so that the dropped block contains only the payment.
    await fixture.rpc('anvil_mine', ['0x2']);
    await killAt(crashTaskOf(location, attempt, 'answered'));
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await fixture.rpc('anvil_reorg', [1, []]);
    await fixture.rpc('anvil_dropAllTransactions');
    expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
    const { paymentService, close } = await fixture.openPaymentService({ ...location, change });
    const endMining = passTime(fixture);
    await expect.poll(() => fixture.usdcOf(payer.address), { timeout: 20_000 }).toBe(2n * price);
    endMining();
    expect((await paymentService.decide(attempt)).kind).toBe('replay');
    await close();
  });

  test('behavior: settles a journaled payment in a new transaction when its nonce was used meanwhile, and charges once', async () => {
    const { payer, attempt } = await newAttempt();
    const location = await newLocation();
    await killAt(crashTaskOf(location, attempt, 'journaled'));
    const other = await fixture.openPaymentService();
    const otherPayload = await fixture.sign(other.paymentService, await fixture.newPayer(price));
    expect((await other.paymentService.decide(attemptOf(otherPayload))).kind).toBe('serve');
    await other.close();

    const { paymentService, close } = await reopen(location);
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: refuses a journaled payment after a restart when its payer has cancelled it', async () => {
    const { payer, payload, attempt } = await newAttempt();
    const location = await newLocation();
    await killAt(crashTaskOf(location, attempt, 'journaled'));
    await fixture.cancel(payer, payload);
    const { paymentService, close } = await reopen(location);
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
