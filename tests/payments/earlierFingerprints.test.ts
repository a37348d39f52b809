import { createHash } from 'node:crypto';
import Libsql from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeEnvelope } from '../../server/payments/decodePayment.ts';
import type { PaymentAttempt } from '../../server/payments/index.ts';
import type { DatabasePlace } from '../../server/storage/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { killAt } from './killedAt.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// A database of an earlier release: its fingerprints have no version and cover the spelling of the body.

let world: PayWorld;
beforeAll(async () => {
  world = await openPayWorld();
});
afterAll(() => world?.close());

/** The earlier formula: sha256 of product, route, body with sorted keys and payload with sorted keys. */
function earlierFingerprint({ paid, route, canonicalInput }: PaymentAttempt, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([paid, route, canonicalInput, payload]))
    .digest('hex');
}

/** Puts the rows of a database back to how the earlier release wrote them: with the whole payload that was sent. */
async function downgrade(place: DatabasePlace, attempt: PaymentAttempt): Promise<void> {
  const { canonicalPayload } = decodeEnvelope(attempt.paymentHeader);
  const values = [earlierFingerprint(attempt, canonicalPayload), canonicalPayload];
  if ('url' in place) {
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    await client.query('UPDATE payments SET fingerprint = $1, payload = $2', values);
    await client.end();
    return;
  }
  const connection = new Libsql(place.file);
  connection.prepare('UPDATE payments SET fingerprint = ?, payload = ?').run(...values);
  connection.close();
}

describe.each(databaseKinds)('%s', { timeout: 60_000 }, (kind) => {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
  });
  afterAll(() => maker?.close());

  /** One payment of the earlier release, taken as far as `until` says; then the release of today. */
  async function upgrade(until: (attempt: PaymentAttempt, cashier: Cashier) => Promise<void>, trialGroup?: string) {
    const place = await maker.newPlace();
    const options = {
      ...place,
      ...(trialGroup && {
        change: (config: Parameters<NonNullable<Change>>[0]) => ({
          ...config,
          offers: config.offers.map((offer) => ({ ...offer, trialGroup })),
        }),
      }),
    };
    const before = await world.openCashier(options);
    const payer = await world.newPayer(3n * price);
    const attempt = { ...attemptOf(await world.sign(before.cashier, payer), '{"size":"1.0"}'), question: 'size 1' };
    await until(attempt, before.cashier);
    await before.close();
    await downgrade(place, attempt);
    return { payer, attempt, ...(await world.openCashier(options)) };
  }

  const serve = async (attempt: PaymentAttempt, cashier: Cashier) => {
    const admission = await cashier.admit(attempt);
    if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
    return admission;
  };

  test('serves an unserved credit to the identical retry, without a second charge', async () => {
    const { attempt, cashier, payer, close } = await upgrade(async (paid, earlier) => {
      await (await serve(paid, earlier)).fail('engine failed');
    });
    const admission = await serve(attempt, cashier);
    await admission.complete(answerTo('credit'));
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('credit') });
    await close();
  });

  test('replays a served answer to the identical request and refuses another body', async () => {
    const { attempt, cashier, payer, close } = await upgrade(async (paid, earlier) => {
      await (await serve(paid, earlier)).complete(answerTo('earlier'));
    });
    expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('earlier') });
    const other = { ...attempt, canonicalInput: '{"size":"2"}', question: 'size 2' };
    expect(await cashier.admit(other)).toMatchObject({ kind: 'refuse', status: 409 });
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('finishes a payment that was journaled when its process died', async () => {
    const place = await maker.newPlace();
    const signing = await world.openCashier();
    const payer = await world.newPayer(3n * price);
    const attempt = { ...attemptOf(await world.sign(signing.cashier, payer), '{"size":"1.0"}'), question: 'size 1' };
    const { networks, offers } = world.cashierConfig({} as never, world.chain.rpcUrl);
    await killAt({ place, networks, offers, attempt, stopAt: 'journaled' });
    await downgrade(place, attempt);
    const { cashier, close } = await world.openCashier(place);
    await (await serve(attempt, cashier)).complete(answerTo('sent'));
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
    await signing.close();
  });

  test('remembers a free call that was taken, and replays it', async () => {
    const { attempt, cashier, payer, close } = await upgrade(async (paid, earlier) => {
      await (await serve(paid, earlier)).complete(answerTo('free'));
    }, 'group');
    expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('free') });
    expect(await world.usdcOf(payer.address)).toBe(3n * price);
    const next = attemptOf(await world.sign(cashier, payer));
    await (await serve(next, cashier)).complete(answerTo('paid'));
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('accepts another spelling of the question for a payment of today', async () => {
    const { cashier, close } = await world.openCashier(await maker.newPlace());
    const payer = await world.newPayer(3n * price);
    const attempt = { ...attemptOf(await world.sign(cashier, payer), '{"size":"1.0"}'), question: 'size 1' };
    await (await serve(attempt, cashier)).complete(answerTo('one'));
    const spelled = { ...attempt, canonicalInput: '{"size":"1"}' };
    expect(await cashier.admit(spelled)).toMatchObject({ kind: 'replay', answer: answerTo('one') });
    expect(await cashier.admit({ ...attempt, question: 'size 2' })).toMatchObject({ status: 409 });
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });
});

type Change = NonNullable<Parameters<PayWorld['openCashier']>[0]>['change'];
type Cashier = Awaited<ReturnType<PayWorld['openCashier']>>['cashier'];
