import { expect, test } from 'vitest';
import { chargeStateOf, chargeStates } from './chargeState.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentDecision } from './paymentTypes.ts';
import * as refusals from './refusals.ts';

const tooMuchGas = { detail: 'Too much gas.', retryAfterSeconds: 90 };
const { refuseBlocked, refuseFreeCalls, refuseLimited, refusePaused, refuseTooMany } = refusals;

test.each([
  ['a wallet above its request limit', refuseTooMany('0x01', 7, chargeStates.nothing), 7],
  ['a paused wallet', refusePaused('0x01', 61, chargeStates.seenByNode), 61],
  ['an IP address without free calls', refuseFreeCalls(3_600), 3_600],
  ['a used-up gas budget', refuseLimited({ ...tooMuchGas, state: chargeStates.seenByNode }), 90],
])('the refusal of %s contains the time to retry, in the header and in the detail', (_reason, refusal, seconds) => {
  expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': String(seconds) } });
  expect(refusal.detail).toContain(`in ${seconds} s`);
});

test('the refusal after a failed read before the charge contains the time to retry of that failure', () => {
  const refusal = refuseBlocked({
    kind: 'unavailable',
    code: 'DEADLINE_EXCEEDED',
    detail: 'Slow.',
    retryAfterSeconds: 11,
  });
  expect(refusal).toMatchObject({ status: 503, headers: { 'Retry-After': '11' } });
  expect(refusal.detail).toContain('in 11 s');
});

type Refusal = Extract<PaymentDecision, { kind: 'refuse' }>;

const offer: BuiltOffer = {
  accepts: [],
  challengeAt: () => ({ header: '', summary: {} }),
  headerFor: (error) => error,
  find: () => undefined,
  trialGroup: undefined,
};
const network = 'eip155:8453';
const refused = { network, payer: '0x01', reason: 'insufficient_funds', detail: 'The wallet is empty.' };
const states = Object.values(chargeStates);

/** Every refusal, in each of its variants. */
const variants: Record<string, Refusal[]> = {
  refuseMalformed: [refusals.refuseMalformed('Not base64.')],
  refuseInvalid: [
    refusals.refuseInvalid(offer, 'r', 'Expired.'),
    ...states.map((state) => refusals.refuseInvalid(offer, 'r', 'Expired.', state)),
  ],
  refuseUnsettled: [
    refusals.refuseUnsettled(offer, refused),
    refusals.refuseUnsettled(offer, refused, true),
    refusals.refuseUnsettled(offer, { ...refused, mayHavePaid: true }),
  ],
  refuseTooMany: states.map((state) => refuseTooMany('0x01', 7, state)),
  refuseReused: states.map((state) => refusals.refuseReused(state)),
  refuseNoNetwork: states.map((state) =>
    refusals.refuseNoNetwork(refusals.refuseInvalid(offer, 'r', 'Expired.', state)),
  ),
  refuseIdentifierInUse: states.flatMap((state) => [
    refusals.refuseIdentifierInUse(state),
    refusals.refuseIdentifierInUse(state, 'mayStillPay'),
    refusals.refuseIdentifierInUse(state, 'undecodable'),
  ]),
  refuseAnswered: [refusals.refuseAnswered({ isFree: true }), refusals.refuseAnswered({ isFree: false })],
  refuseUnsent: [
    refusals.refuseUnsent(network),
    ...states.map((state) => refusals.refuseUnsent(network, { cause: 'Gas is expensive.', state })),
  ],
  refuseUnavailable: states.map((state) => refusals.refuseUnavailable(network, state)),
  refusePaused: states.map((state) => refusePaused('0x01', 61, state)),
  refuseFreeCalls: [refuseFreeCalls(60)],
  refuseLimited: states.map((state) => refuseLimited({ ...tooMuchGas, state })),
  refuseConcurrent: [refusals.refuseConcurrent()],
  refuseBlocked: [
    refuseBlocked({ kind: 'invalid', detail: 'No code.' }),
    ...states.map((state) =>
      refuseBlocked({ kind: 'unavailable', code: 'DEADLINE_EXCEEDED', detail: 'Slow.', retryAfterSeconds: 1 }, state),
    ),
  ],
  refuseUnread: [refusals.refuseUnread()],
  refuseUnknown: [refusals.refuseUnknown(network)],
  refuseUnansweredTrial: [refusals.refuseUnansweredTrial()],
  refuseUnanswered: [refusals.refuseUnanswered(undefined), refusals.refuseUnanswered('receipt')],
};

/** `charged` as a reader concludes it from the sentences of `detail`. */
function readCharged(detail: string): boolean | null {
  if (/may have been charged/.test(detail)) return null;
  if (/You were charged/.test(detail)) return true;
  if (/nothing was charged|charged nothing/i.test(detail)) return false;
  throw new Error(`The detail does not state whether the payment was charged: ${detail}`);
}

test('a refusal of a payment that may have paid does not advise a payment on another network', () => {
  const advice = states.map((state) => [state.charged, refusals.refuseUnavailable(network, state).detail] as const);
  for (const [charged, detail] of advice) expect(detail.includes('another network'), detail).toBe(charged === false);
});

test('every refusal states in one sentence of its detail what its member `charged` states', () => {
  const exported = Object.keys(refusals).filter((name) => name.startsWith('refuse'));
  expect(Object.keys(variants).toSorted()).toEqual(exported.toSorted());
  for (const [name, list] of Object.entries(variants)) {
    for (const { detail, charged } of list) {
      expect([name, detail, charged]).toEqual([name, detail, readCharged(detail)]);
      expect(states.filter(({ sentence }) => detail.includes(sentence)).length, detail).toBeGreaterThan(0);
    }
  }
});

test.each<[string, Partial<PaymentRow> | undefined, boolean | null]>([
  ['no row', undefined, false],
  ['a claim', { state: 'claimed' }, null],
  ['a sent transaction', { state: 'sent' }, null],
  ['a refusal before anything was sent', { state: 'refused' }, false],
  [
    'a refusal after a transaction',
    { state: 'refused', transactions: [{ hash: '', raw: '', nonce: 0, fromBlock: 0n }], mayStillPay: true },
    null,
  ],
  [
    'a refusal after a transaction that no block can include any more',
    { state: 'refused', transactions: [{ hash: '', raw: '', nonce: 0, fromBlock: 0n }], mayStillPay: false },
    false,
  ],
  ['a credit', { state: 'settled' }, true],
  ['an answer', { state: 'answered' }, true],
  ['a free call without an answer', { state: 'settled', trialGroup: 'pretrade' }, false],
  ['an answered free call', { state: 'answered', trialGroup: 'pretrade' }, false],
])('a ledger row with %s', (_name, row, charged) => {
  const facts = { transactions: [], trialGroup: undefined, ...row } as unknown as PaymentRow;
  expect(chargeStateOf(row && facts).charged).toBe(charged);
});
