import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentAttempt } from '../../server/payments/index.ts';
import { DatabaseInUseError, type DatabasePlace, openStores } from '../../server/storage/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { killAt, repeat, repetitions, startMortal } from './killedAt.ts';
import type { CrashPoint } from './mortalCashier.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;

let signing: Awaited<ReturnType<PayWorld['openCashier']>>;

beforeAll(async () => {
  world = await openPayWorld();
  signing = await world.openCashier();
});
afterAll(async () => {
  await signing?.close();
  await world?.close();
});

describe.each(databaseKinds)('%s', { timeout: 60_000 + repetitions * 30_000 }, (kind) => {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
  });
  afterAll(() => maker?.close());

  /** Everything but the ledger: what another process needs to take this payment. */
  function orderOf(place: DatabasePlace, attempt: PaymentAttempt, stopAt: CrashPoint, trialGroup?: string) {
    const { networks, offers } = world.cashierConfig({} as never, world.chain.rpcUrl);
    return {
      place,
      networks,
      offers: offers.map((offer) => ({ ...offer, ...(trialGroup && { trialGroup }) })),
      attempt,
      stopAt,
    };
  }

  /** After the restart; a replica that died is not believed in for a second. */
  const reopen = (place: DatabasePlace, trialGroup?: string) =>
    world.openCashier({
      ...place,
      ...(trialGroup && {
        change: (config) => ({ ...config, offers: config.offers.map((offer) => ({ ...offer, trialGroup })) }),
      }),
    });

  /** Again and again, as on a machine that keeps dying: what earlier deaths left lies beside. */
  async function onOneDatabase(once: (place: DatabasePlace) => Promise<void>): Promise<void> {
    const place = await maker.newPlace();
    await repeat(() => once(place));
  }

  async function newAttempt() {
    const payer = await world.newPayer(3n * price);
    const payload = await world.sign(signing.cashier, payer);
    return { payer, payload, attempt: attemptOf(payload) };
  }

  test.each([
    ['looked up', 3n],
    ['claimed', 3n],
    ['signed', 3n],
    ['journaled', 3n],
    ['mined', 2n],
    ['settled', 2n],
    ['made', 2n],
  ] as const)(
    'behavior: killed when %s, the same payment is served after the restart and charged once',
    (point, left) =>
      onOneDatabase(async (place) => {
        const { payer, payload, attempt } = await newAttempt();
        await killAt(orderOf(place, attempt, point));
        expect(await world.usdcOf(payer.address)).toBe(left * price);

        const { cashier, close } = await reopen(place);
        const admission = await cashier.admit(attempt);
        if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
        await admission.complete(answerTo('the living'));
        expect(await world.usdcOf(payer.address)).toBe(2n * price);
        expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('the living') });
        expect(await cashier.admit(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });

        const next = await world.newPayer(price);
        expect((await cashier.admit(attemptOf(await world.sign(cashier, next)))).kind).toBe('serve');
        await close();
      }),
  );

  test.each(['signed', 'journaled', 'mined', 'settled'] as const)(
    'killed when a group is %s: after the restart each of its payments is served and charged once',
    (point) =>
      onOneDatabase(async (place) => {
        const group = await Promise.all([1, 2, 3, 4, 5].map(newAttempt));
        const [first, ...others] = group.map(({ attempt }) => attempt);
        const before = await world.usdcOf(world.payTo);
        await killAt({ ...orderOf(place, first as PaymentAttempt, point), beside: others });
        const { cashier, close } = await reopen(place);
        for (const { payer, attempt } of group) {
          const admission = await cashier.admit(attempt);
          if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
          await admission.complete(answerTo('the living'));
          expect(await world.usdcOf(payer.address)).toBe(2n * price);
          expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay' });
        }
        expect(await world.usdcOf(world.payTo)).toBe(before + 5n * price);
        await close();
      }),
  );

  test('behavior: killed when its answer is stored and not yet sent, the restart replays that answer', () =>
    onOneDatabase(async (place) => {
      const { payer, attempt } = await newAttempt();
      await killAt(orderOf(place, attempt, 'answered'));
      const { cashier, close } = await reopen(place);
      expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: { body: '{"from":"the dead"}' } });
      expect(await world.usdcOf(payer.address)).toBe(2n * price);
      await close();
    }));

  test('behavior: killed while its transaction waits in the mempool, the payment is followed by the restart', () =>
    onOneDatabase(async (place) => {
      const { payer, attempt } = await newAttempt();
      await world.rpc('evm_setAutomine', [false]);
      const mortal = startMortal({ ...orderOf(place, attempt, 'mined'), step: 'waiting to be mined' });
      await world.untilPending(1);
      await mortal.kill();
      const { cashier, close } = await reopen(place);
      const admitting = cashier.admit(attempt);
      await world.rpc('evm_setAutomine', [true]);
      await world.rpc('anvil_mine');
      expect((await admitting).kind).toBe('serve');
      expect(await world.usdcOf(payer.address)).toBe(2n * price);
      await close();
    }));

  test.each(['verified', 'free call taken', 'made', 'answered'] as const)(
    'behavior: killed when %s, a free call is answered after the restart, once, and the next one is paid',
    (point) =>
      onOneDatabase(async (place) => {
        const { payer, attempt } = await newAttempt();
        await killAt(orderOf(place, attempt, point, 'pretrade'));
        const { cashier, close } = await reopen(place, 'pretrade');
        const admission = await cashier.admit(attempt);
        if (point === 'answered') expect(admission.kind).toBe('replay');
        else if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
        else await admission.complete(answerTo('the living'));
        expect(await world.usdcOf(payer.address)).toBe(3n * price);
        expect((await cashier.admit(attempt)).kind).toBe('replay');
        expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
        expect(await world.usdcOf(payer.address)).toBe(2n * price);
        await close();
      }),
  );

  test('behavior: the restart finishes a journaled payment by itself, before anybody asks', async () => {
    const { payer, attempt } = await newAttempt();
    const place = await maker.newPlace();
    await killAt(orderOf(place, attempt, 'journaled'));
    const { cashier, close } = await world.openCashier({
      ...place,
      change: (config) => ({ ...config, timings: { ...config.timings, lookAroundMs: 200 } }),
    });
    await expect.poll(() => world.usdcOf(payer.address)).toBe(2n * price);
    expect((await cashier.admit(attempt)).kind).toBe('serve');
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: killed when it had answered, a payment that the chain then drops is sent again by the restart', async () => {
    const { payer, attempt } = await newAttempt();
    const place = await maker.newPlace();
    // The block that is to be dropped holds nothing but the payment.
    await world.rpc('anvil_mine', ['0x2']);
    await killAt(orderOf(place, attempt, 'answered'));
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await world.rpc('anvil_reorg', [1, []]);
    await world.rpc('anvil_dropAllTransactions');
    expect(await world.usdcOf(payer.address)).toBe(3n * price);
    const { cashier, close } = await world.openCashier({
      ...place,
      change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
    });
    await world.rpc('anvil_mine', ['0x5']);
    await expect.poll(() => world.usdcOf(payer.address)).toBe(2n * price);
    expect((await cashier.admit(attempt)).kind).toBe('replay');
    await close();
  });

  test('behavior: a journaled payment whose nonce another process took is sent anew, and charged once', async () => {
    const { payer, attempt } = await newAttempt();
    const place = await maker.newPlace();
    await killAt(orderOf(place, attempt, 'journaled'));
    const other = await world.openCashier();
    expect(
      (await other.cashier.admit(attemptOf(await world.sign(other.cashier, await world.newPayer(price))))).kind,
    ).toBe('serve');
    await other.close();

    const { cashier, close } = await reopen(place);
    expect((await cashier.admit(attempt)).kind).toBe('serve');
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: a journaled payment that its payer cancelled meanwhile is refused after the restart', async () => {
    const { payer, payload, attempt } = await newAttempt();
    const place = await maker.newPlace();
    await killAt(orderOf(place, attempt, 'journaled'));
    await world.cancel(payer, payload);
    const { cashier, close } = await reopen(place);
    expect(await cashier.admit(attempt)).toMatchObject({ kind: 'refuse', status: 402 });
    expect(await world.usdcOf(payer.address)).toBe(3n * price);
    await close();
  });
});

test('error: DatabaseInUseError for a second opener of the same file', async () => {
  const file = world.newLedgerFile();
  const stores = await openStores({ file }, Date.now);
  await expect(openStores({ file }, Date.now)).rejects.toThrow(DatabaseInUseError);
  await stores.close();
  await (await openStores({ file }, Date.now)).close();
});
