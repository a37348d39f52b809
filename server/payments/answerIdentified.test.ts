import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  attemptWith,
  factsOf,
  openScripted,
  type Scripted,
  sendScripted,
  terms,
} from '../../tests/support/scriptedNetwork.ts';
import { answerIdentified } from './answerIdentified.ts';
import { decidePayment } from './decidePayment.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import { settlePayment } from './settlePayment.ts';

const identifier = 'order-0000000001';
let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
  opened.offer.find = () => terms as never;
});
afterEach(() => opened.close());

const identified = { key: 'new', wallet: '0xpayer', identifier, payer: '0xPayer' };
const answer = (changes = {}) =>
  answerIdentified(opened.context, { ...attemptWith('new', identifier), ...changes }, identified, undefined);
const settle = (key: string) =>
  settlePayment(opened.context, opened.offer, factsOf(key, { identifier }), opened.paymentOf(key), terms);

/** A payment with the identifier that failed on chain and was refused. */
async function refuseOwner(changes: Partial<PaymentFacts> = {}): Promise<void> {
  await sendScripted(opened, 'owner', { identifier, ...changes });
  await opened.ledger.claimIdentifier({ ...identified, key: 'owner' });
  await opened.ledger.refused('owner', 'it failed on chain');
}

describe('a refused payment whose transaction may still be included', () => {
  test('keeps its identifier: another signature with it is not settled, and the refusal leaves the charge open', async () => {
    await refuseOwner();
    const refusal = { kind: 'refuse', status: 409, code: 'PAYMENT_REUSED', charged: null };
    expect(await answer()).toMatchObject(refusal);
    expect(await decidePayment(opened.context, attemptWith('new', identifier))).toMatchObject({
      ...refusal,
      detail: expect.stringContaining('a block may still include it. That payment may have been charged.'),
    });
    expect(await settle('new')).toMatchObject({ kind: 'refuse', refusal: { status: 409, charged: null } });
    expect(opened.network.calls).not.toContain('settle');
    expect(await opened.ledger.load('new')).toBeUndefined();
  });

  test('keeps its identifier when it is refused while another signature waits for it', async () => {
    await sendScripted(opened, 'owner', { identifier });
    await opened.ledger.claimIdentifier({ ...identified, key: 'owner' });
    opened.network.settle = async () => ({ kind: 'refused', reason: 'reverted', detail: 'It reverted.' });
    expect(await answer()).toMatchObject({ kind: 'refuse', status: 409, charged: null });
    expect(await opened.ledger.load('owner')).toMatchObject({ state: 'refused', mayStillPay: true });
  });

  test('releases its identifier once the chain shows that it has expired', async () => {
    await refuseOwner();
    opened.network.readLateStatus = async () => ({ kind: 'expired' });
    expect(await answer()).toBeUndefined();
    expect(await settle('new')).toMatchObject({ kind: 'settled' });
  });

  test('buys the answer if it has paid after all', async () => {
    await refuseOwner();
    opened.network.readLateStatus = async () => ({ kind: 'settled', transaction: '0xlate' });
    const decision = await answer();
    expect(decision).toMatchObject({ kind: 'serve' });
    expect(opened.network.calls).not.toContain('settle');
    if (decision?.kind === 'serve') await decision.fail('not tested');
  });
});

test('a refused payment that was never sent releases its identifier without a read of its status', async () => {
  await opened.claim('owner', { identifier });
  await opened.ledger.claimIdentifier({ ...identified, key: 'owner' });
  await opened.ledger.refused('owner', 'insufficient_funds');
  expect(await answer()).toBeUndefined();
  expect(opened.network.calls).toEqual([]);
});

test.each([
  ['of a settled payment', async () => opened.ledger.settled('owner', 'RESPONSE'), true],
  [
    'of a payment with an unknown outcome',
    async () => opened.ledger.journal('owner', { hash: '0x', raw: '0x', nonce: 1, fromBlock: 1n }),
    null,
  ],
] as const)(
  'an identifier %s for another request is refused with what is known of that payment',
  async (_, prepare, charged) => {
    await opened.claim('owner', { identifier });
    await opened.ledger.claimIdentifier({ ...identified, key: 'owner' });
    await prepare();
    expect(await answer({ canonicalInput: '{"other":1}' })).toMatchObject({ status: 409, charged });
  },
);

test('a signature that was itself sent before may have been charged, whatever the identifier belongs to', async () => {
  await sendScripted(opened, 'new');
  await opened.ledger.refused('new', 'it failed on chain');
  await opened.claim('owner', { identifier });
  await opened.ledger.claimIdentifier({ ...identified, key: 'owner' });
  await opened.ledger.settled('owner', 'RESPONSE');
  const other = { ...attemptWith('new', identifier), canonicalInput: '{"other":1}' };
  const own = await opened.ledger.load('new');
  expect(await answerIdentified(opened.context, other, identified, own)).toMatchObject({ status: 409, charged: null });
});

test('an owner whose stored payload cannot be decoded is named as such, with its charge', async () => {
  await opened.claim('owner', { identifier, payload: '{"version":1}' });
  await opened.ledger.claimIdentifier({ ...identified, key: 'owner' });
  await opened.ledger.settled('owner', 'RESPONSE');
  const decision = await decidePayment(opened.context, attemptWith('new', identifier));
  expect(decision).toMatchObject({ kind: 'refuse', status: 409, charged: true });
  expect(decision).toMatchObject({ detail: expect.stringContaining('this version of the service cannot settle it') });
  expect(opened.lines).toContainEqual(
    expect.objectContaining({ level: 'error', facts: expect.objectContaining({ payment: 'owner' }) }),
  );
});

test('a payment with an identifier is verified once', async () => {
  const decision = await decidePayment(opened.context, attemptWith('new', identifier));
  expect(decision).toMatchObject({ kind: 'serve' });
  expect(opened.network.calls).toEqual(['verifyPayload', 'settle']);
  if (decision.kind === 'serve') await decision.fail('not tested');
});
