import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  appendPaymentIdentifierToExtensions,
  generatePaymentId,
  isPaymentIdentifierExtension,
} from '@x402/extensions/payment-identifier';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { databaseKinds } from '../storage/bothDatabases.ts';
import { useDatabases } from '../storage/useDatabases.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';

// The extension `payment-identifier`: a wallet is charged at most once for each identifier.

let fixture: PaymentFixture;
beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(() => fixture?.close());

/** A new payment with this identifier, signed with the published client and extension. */
async function signWithId(
  paymentService: PaymentService,
  payer: PrivateKeyAccount,
  id: string,
): Promise<PaymentPayload> {
  const offer = decodePaymentRequiredHeader(paymentService.challenge('quote').header);
  appendPaymentIdentifierToExtensions(offer.extensions ?? {}, id);
  return new x402Client().register('eip155:8453', new ExactEvmScheme(payer)).createPaymentPayload(offer);
}
const withId = (payload: PaymentPayload, id: unknown): PaymentPayload => ({
  ...payload,
  extensions: { 'payment-identifier': { info: { required: false, id }, schema: {} } },
});
const newId = () => generatePaymentId('order_');

describe.each(databaseKinds)('%s', (kind) => {
  const newLocation = useDatabases(kind);
  const open = async () => fixture.openPaymentService(await newLocation());

  test('default: the identifier is declared as optional; a payment buys one answer with and without it', async () => {
    const { paymentService, close } = await open();
    const { extensions } = decodePaymentRequiredHeader(paymentService.challenge('quote').header);
    const declared = extensions?.['payment-identifier'];
    expect(isPaymentIdentifierExtension(declared) && declared.info).toEqual({ required: false });
    const payer = await fixture.newPayer(3n * price);
    for (const payload of [
      await fixture.sign(paymentService, payer),
      await signWithId(paymentService, payer, newId()),
    ]) {
      const decision = await paymentService.decide(attemptOf(payload));
      if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
      await decision.complete(answerTo('named'));
      expect(await paymentService.decide(attemptOf(payload))).toMatchObject({
        kind: 'replay',
        answer: answerTo('named'),
      });
    }
    expect(await fixture.usdcOf(payer.address)).toBe(price);
    await close();
  });

  test('error: PAYMENT_REUSED for another request with the identifier of a settled payment: only that payment was charged', async () => {
    const { paymentService, close } = await open();
    const [payer, other] = [await fixture.newPayer(3n * price), await fixture.newPayer(price)];
    const id = newId();
    const first = attemptOf(await signWithId(paymentService, payer, id));
    expect((await paymentService.decide(first)).kind).toBe('serve');
    const reusing = attemptOf(await signWithId(paymentService, payer, id), '{"size":"2"}');
    expect(await paymentService.decide(reusing)).toMatchObject({
      kind: 'refuse',
      status: 409,
      code: 'PAYMENT_REUSED',
      charged: true,
      detail: expect.stringContaining('You were charged for that request. This request charged nothing.'),
    });
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    // Identifiers of another wallet are independent.
    expect((await paymentService.decide(attemptOf(await signWithId(paymentService, other, id)))).kind).toBe('serve');
    await close();
  });

  test('behavior: ten concurrent signatures with the same identifier get ten answers for one charge', async () => {
    const { paymentService, close } = await open();
    const payer = await fixture.newPayer(10n * price);
    const id = newId();
    const payloads = await Promise.all(Array.from({ length: 10 }, () => signWithId(paymentService, payer, id)));
    const kinds = await Promise.all(
      payloads.map(async (payload) => {
        const decision = await paymentService.decide(attemptOf(payload));
        if (decision.kind === 'serve') await decision.complete(answerTo('one'));
        else expect(decision).toMatchObject({ kind: 'replay', answer: answerTo('one') });
        return decision.kind;
      }),
    );
    expect(kinds.toSorted()).toEqual([...Array(9).fill('replay'), 'serve']);
    expect(await fixture.usdcOf(payer.address)).toBe(9n * price);
    await close();
  });

  // SQLite serves one process only.
  test.skipIf(kind === 'sqlite')(
    'behavior: signatures with the same identifier at two replicas get one answer for one charge',
    async () => {
      const location = await newLocation();
      const services = [await fixture.openPaymentService(location), await fixture.openPaymentService(location)];
      const payer = await fixture.newPayer(4n * price);
      const id = newId();
      const attempts = await Promise.all(
        [...services, ...services].map(async ({ paymentService }) => ({
          paymentService,
          attempt: attemptOf(await signWithId(paymentService, payer, id)),
        })),
      );
      const bodies = await Promise.all(
        attempts.map(async ({ paymentService, attempt }, index) => {
          const decision = await paymentService.decide(attempt);
          if (decision.kind === 'serve') return (await decision.complete(answerTo(`answer ${index}`))).body;
          if (decision.kind === 'replay') return decision.answer.body;
          throw new Error(JSON.stringify(decision));
        }),
      );
      expect(new Set(bodies).size).toBe(1);
      expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
      for (const { close } of services) await close();
    },
  );
});

describe.each(databaseKinds)('new signature with the same identifier: %s', (kind) => {
  const newLocation = useDatabases(kind);
  const open = async () => fixture.openPaymentService(await newLocation());

  test('behavior: a new signature gets the stored answer for 24 hours, also while the network is withdrawn, and is not settled', async () => {
    let now = Date.now();
    const { paymentService, ledger, close } = await fixture.openPaymentService({
      ...(await newLocation()),
      change: (config) => ({ ...config, now: () => now }),
    });
    const payer = await fixture.newPayer(3n * price);
    const id = newId();
    const decision = await paymentService.decide(attemptOf(await signWithId(paymentService, payer, id)));
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    await decision.complete(answerTo('stored'));
    const replayed = { kind: 'replay', answer: answerTo('stored'), paymentResponse: decision.paymentResponse };

    const again = await signWithId(paymentService, payer, id);
    expect(await paymentService.decide(attemptOf(again))).toEqual(replayed);
    expect(await ledger.load(ledgerKeyOf(again))).toBeUndefined();
    // Another spelling of the same query, as the gate compares it.
    const respelt = attemptOf(await signWithId(paymentService, payer, id), '{"size":"1.0"}');
    const identifyInput = () => '{"size":"1.0"}';
    expect(await paymentService.decide({ ...respelt, identifyInput })).toEqual(replayed);
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);

    now += 24 * 3_600_000 + 60_000;
    const validBefore = BigInt(Math.floor(now / 1000) + 120);
    const signed = await fixture.signAltered(paymentService, payer, { validBefore });
    expect(await paymentService.decide(attemptOf(withId(signed, id)))).toMatchObject({ status: 409, charged: true });
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  });

  test('security: a forged signature with the identifier of an answered payment gets 402, not the answer', async () => {
    const { paymentService, close } = await open();
    const [payer, thief] = [await fixture.newPayer(2n * price), await fixture.newPayer(price)];
    const id = newId();
    const decision = await paymentService.decide(attemptOf(await signWithId(paymentService, payer, id)));
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    await decision.complete(answerTo('secret'));
    const stolen = await signWithId(paymentService, thief, id);
    const { authorization } = stolen.payload as { authorization: Record<string, string> };
    const forged = {
      ...stolen,
      payload: { ...stolen.payload, authorization: { ...authorization, from: payer.address } },
    };
    expect(await paymentService.decide(attemptOf(forged))).toMatchObject({ kind: 'refuse', status: 402 });
    await close();
  });

  test('behavior: a credit is served to a new signature with its identifier, without a second charge', async () => {
    const { paymentService, close } = await open();
    const payer = await fixture.newPayer(2n * price);
    const id = newId();
    const first = attemptOf(await signWithId(paymentService, payer, id));
    const unanswered = await paymentService.decide(first);
    if (unanswered.kind !== 'serve') throw new Error(JSON.stringify(unanswered));
    await unanswered.fail('the engine failed');
    const decision = await paymentService.decide(attemptOf(await signWithId(paymentService, payer, id)));
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    await decision.complete(answerTo('credit'));
    expect(await paymentService.decide(first)).toMatchObject({ kind: 'replay', answer: answerTo('credit') });
    expect(await fixture.usdcOf(payer.address)).toBe(price);
    await close();
  });
});

describe.each(databaseKinds)('refused payment with an identifier: %s', (kind) => {
  const newLocation = useDatabases(kind);
  const open = async () => fixture.openPaymentService(await newLocation());

  test('behavior: the identifier of a refused payment can be used again', async () => {
    const { paymentService, close } = await open();
    const payer = await fixture.newPayer(0n);
    const id = newId();
    const unfunded = attemptOf(await signWithId(paymentService, payer, id));
    expect(await paymentService.decide(unfunded)).toMatchObject({ status: 402 });
    await fixture.give(payer.address, 2n * price);
    const funded = await paymentService.decide(attemptOf(await signWithId(paymentService, payer, id)));
    if (funded.kind !== 'serve') throw new Error(JSON.stringify(funded));
    await funded.complete(answerTo('funded'));
    // The first payment could settle now, but its identifier belongs to the second one.
    expect(await paymentService.decide(unfunded)).toMatchObject({ kind: 'replay', answer: answerTo('funded') });
    expect(await fixture.usdcOf(payer.address)).toBe(price);
    await close();
  });
});

test('behavior: an internal error during the retry of a failed payment releases the payment as unpaid', async () => {
  let claims = 0;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async claimIdentifier(claim) {
          claims += 1;
          if (claims === 1) {
            // Simulates a transaction that failed on chain.
            await config.ledger.journal(claim.key, { hash: '', raw: '', nonce: 0, fromBlock: 0n });
            await config.ledger.refused(claim.key, 'it failed on chain');
          }
          if (claims < 3) throw new Error('An internal fault.');
          return config.ledger.claimIdentifier(claim);
        },
      },
    }),
  });
  const payload = await signWithId(paymentService, await fixture.newPayer(price), newId());
  await paymentService.decide(attemptOf(payload));
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await ledger.takeOverUnfinished()).toEqual([]);
  await close();
});

test.each([['short'], ['x'.repeat(129)], ['sixteen letters!'], [7], [null], [{}]])(
  'error: INVALID_REQUEST, uncharged, for the identifier %j',
  async (id) => {
    const { paymentService, close } = await fixture.openPaymentService();
    const payer = await fixture.newPayer(price);
    const payload = withId(await fixture.sign(paymentService, payer), id);
    expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect(await fixture.usdcOf(payer.address)).toBe(price);
    await close();
  },
);

test('security: does not evaluate a JSON schema from the client', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payload = await fixture.sign(paymentService, await fixture.newPayer(price));
  const hostile = { type: 'object', properties: { id: { pattern: '^(a+)+$' } }, $ref: 'http://127.0.0.1:9/' };
  const extension = { info: { required: false, id: `${'a'.repeat(60)}_` }, schema: hostile };
  const paid = { ...payload, extensions: { 'payment-identifier': extension } };
  expect((await paymentService.decide(attemptOf(paid))).kind).toBe('serve');
  await close();
});
