import { createHash } from 'node:crypto';
import Libsql from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeEnvelope } from '../../server/payments/decodePayment.ts';
import type { PaymentAttempt } from '../../server/payments/index.ts';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { databaseKinds } from '../storage/bothDatabases.ts';
import { useDatabases } from '../storage/useDatabases.ts';
import { cleanUpProcesses, killAt } from './killAt.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// Databases of an earlier release: the fingerprints have no version and hash the body as the client spelled it.

let fixture: PaymentFixture;
cleanUpProcesses();
beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(() => fixture?.close());

/** The earlier formula: SHA-256 of product, route, body with sorted keys and payload with sorted keys. */
function earlierFingerprint({ paid, route, canonicalInput }: PaymentAttempt, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([paid, route, canonicalInput, payload]))
    .digest('hex');
}

/** Rewrites the rows as the earlier release wrote them: with the whole payload. */
async function downgrade(location: DatabaseLocation, attempt: PaymentAttempt): Promise<void> {
  const { canonicalPayload } = decodeEnvelope(attempt.paymentHeader);
  const values = [earlierFingerprint(attempt, canonicalPayload), canonicalPayload];
  if ('url' in location) {
    const client = new pg.Client({ connectionString: location.url });
    await client.connect();
    await client.query('UPDATE payments SET fingerprint = $1, payload = $2', values);
    await client.end();
    return;
  }
  const connection = new Libsql(location.file);
  connection.prepare('UPDATE payments SET fingerprint = ?, payload = ?').run(...values);
  connection.close();
}
/** Runs one payment with `until`, rewrites its rows to the earlier form, and reopens the payment service. */
async function upgrade(
  location: DatabaseLocation,
  until: (attempt: PaymentAttempt, paymentService: PaymentService) => Promise<void>,
  trialGroup?: string,
) {
  const options = {
    ...location,
    ...(trialGroup && {
      change: (config: Parameters<NonNullable<Change>>[0]) => ({
        ...config,
        offers: config.offers.map((offer) => ({ ...offer, trialGroup })),
      }),
    }),
  };
  const before = await fixture.openPaymentService(options);
  const payer = await fixture.newPayer(3n * price);
  const attempt = {
    ...attemptOf(await fixture.sign(before.paymentService, payer), '{"size":"1.0"}'),
    queryKey: 'size 1',
  };
  await until(attempt, before.paymentService);
  await before.close();
  await downgrade(location, attempt);
  return { payer, attempt, ...(await fixture.openPaymentService(options)) };
}

const serve = async (attempt: PaymentAttempt, paymentService: PaymentService) => {
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  return decision;
};

describe.each(databaseKinds)('%s', { timeout: 60_000 }, (kind) => {
  const newLocation = useDatabases(kind);

  test('behavior: serves a credit of an earlier release to the identical retry, without a second charge', async () => {
    const { attempt, paymentService, payer, close } = await upgrade(await newLocation(), async (paid, earlier) => {
      await (await serve(paid, earlier)).fail('engine failed');
    });
    const decision = await serve(attempt, paymentService);
    await decision.complete(answerTo('credit'));
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('credit') });
    await close();
  });

  test('behavior: replays an answer of an earlier release to the identical request and refuses another body', async () => {
    const { attempt, paymentService, payer, close } = await upgrade(await newLocation(), async (paid, earlier) => {
      await (await serve(paid, earlier)).complete(answerTo('earlier'));
    });
    expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('earlier') });
    const other = { ...attempt, canonicalInput: '{"size":"2"}', queryKey: 'size 2' };
    expect(await paymentService.decide(other)).toMatchObject({ kind: 'refuse', status: 409 });
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('behavior: settles a payment that an earlier release journaled before its process stopped', async () => {
    const location = await newLocation();
    const signing = await fixture.openPaymentService();
    const payer = await fixture.newPayer(3n * price);
    const attempt = {
      ...attemptOf(await fixture.sign(signing.paymentService, payer), '{"size":"1.0"}'),
      queryKey: 'size 1',
    };
    const { networks, offers } = fixture.paymentConfig({} as never, fixture.chain.rpcUrl);
    await killAt({ location, networks, offers, attempt, stopAt: 'journaled' });
    await downgrade(location, attempt);
    const { paymentService, close } = await fixture.openPaymentService(location);
    await (await serve(attempt, paymentService)).complete(answerTo('sent'));
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
    await signing.close();
  });

  test('behavior: replays the answer of a free call that an earlier release served', async () => {
    const { attempt, paymentService, payer, close } = await upgrade(
      await newLocation(),
      async (paid, earlier) => {
        await (await serve(paid, earlier)).complete(answerTo('free'));
      },
      'group',
    );
    expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('free') });
    expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
    const next = attemptOf(await fixture.sign(paymentService, payer));
    await (await serve(next, paymentService)).complete(answerTo('paid'));
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('default: replays the answer to an equivalent input for a payment with a current fingerprint', async () => {
    const { paymentService, close } = await fixture.openPaymentService(await newLocation());
    const payer = await fixture.newPayer(3n * price);
    const attempt = { ...attemptOf(await fixture.sign(paymentService, payer), '{"size":"1.0"}'), queryKey: 'size 1' };
    await (await serve(attempt, paymentService)).complete(answerTo('one'));
    const spelled = { ...attempt, canonicalInput: '{"size":"1"}' };
    expect(await paymentService.decide(spelled)).toMatchObject({ kind: 'replay', answer: answerTo('one') });
    expect(await paymentService.decide({ ...attempt, queryKey: 'size 2' })).toMatchObject({ status: 409 });
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });
});

type Change = NonNullable<Parameters<PaymentFixture['openPaymentService']>[0]>['change'];
type PaymentService = Awaited<ReturnType<PaymentFixture['openPaymentService']>>['paymentService'];
