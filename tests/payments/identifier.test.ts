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

  test('error: PAYMENT_REUSED, uncharged, for a new signature with the identifier of a settled payment', async () => {
    const { paymentService, close } = await open();
    const [payer, other] = [await fixture.newPayer(3n * price), await fixture.newPayer(price)];
    const id = newId();
    const first = attemptOf(await signWithId(paymentService, payer, id));
    expect((await paymentService.decide(first)).kind).toBe('serve');
    for (const input of ['{"size":"1"}', '{"size":"2"}']) {
      const reusing = attemptOf(await signWithId(paymentService, payer, id), input);
      expect(await paymentService.decide(reusing)).toMatchObject({
        kind: 'refuse',
        status: 409,
        code: 'PAYMENT_REUSED',
      });
    }
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    // Identifiers of another wallet are independent.
    expect((await paymentService.decide(attemptOf(await signWithId(paymentService, other, id)))).kind).toBe('serve');
    await close();
  });

  test('behavior: charges one of ten concurrent signatures with the same identifier', async () => {
    const { paymentService, close } = await open();
    const payer = await fixture.newPayer(10n * price);
    const id = newId();
    const payloads = await Promise.all(Array.from({ length: 10 }, () => signWithId(paymentService, payer, id)));
    const results = await Promise.all(payloads.map((payload) => paymentService.decide(attemptOf(payload))));
    const kinds = results.map((decision) => (decision.kind === 'refuse' ? decision.status : decision.kind));
    expect(kinds.toSorted()).toEqual([...Array(9).fill(409), 'serve']);
    expect(await fixture.usdcOf(payer.address)).toBe(9n * price);
    await close();
  });

  test('behavior: the identifier of a refused payment can be used again', async () => {
    const { paymentService, close } = await open();
    const payer = await fixture.newPayer(0n);
    const id = newId();
    const unfunded = attemptOf(await signWithId(paymentService, payer, id));
    expect(await paymentService.decide(unfunded)).toMatchObject({ status: 402 });
    await fixture.give(payer.address, 2n * price);
    expect((await paymentService.decide(attemptOf(await signWithId(paymentService, payer, id)))).kind).toBe('serve');
    // The first payment could settle now, but its identifier belongs to the second one.
    expect(await paymentService.decide(unfunded)).toMatchObject({ status: 409 });
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
