import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { factsOf, openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
import { awaitSettlement } from './awaitSettlement.ts';
import { beginSettlement, releaseUnservedCredits } from './beginSettlement.ts';
import { LedgerOrderError } from './ledger/ledgerOrderError.ts';
import type { PaymentDecision } from './paymentTypes.ts';
import { startSettlement } from './settlement.ts';

// Settlements continue without their clients: `beginSettlement` and `awaitSettlement`.

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
});

const facts = factsOf('key');
const answer = { status: 200, contentType: 'application/json', body: '{"a":1}' };
const begin = () => beginSettlement(opened.context, opened.offer, facts, opened.paymentOf('key'), terms, undefined);
const join = (settlement = begin()) => awaitSettlement(opened.context, settlement, facts);
/** Resolves when `open` is called. */
function gate<T>() {
  let open: (value: T) => void = () => undefined;
  const opening = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opening };
}
type Serve = Extract<PaymentDecision, { kind: 'serve' }>;
async function serve(joined: Promise<PaymentDecision>): Promise<Serve> {
  const decision = await joined;
  if (decision.kind !== 'serve') throw new TypeError(`Expected an accepted payment, got ${JSON.stringify(decision)}.`);
  return decision;
}
const holder = async () =>
  await opened.stores.database.read.selectFrom('payments').select(['state', 'holder']).executeTakeFirst();

test('the first request serves the settled payment; the others get its answer', async () => {
  const settlement = begin();
  const [first, second] = [join(settlement), join(settlement)];
  const decision = await serve(first);
  expect(decision.ticket).toEqual({ paid: 'quote', canonicalInput: '{}' });
  expect(Object.isFrozen(decision.ticket)).toBe(true);
  expect(decision).not.toHaveProperty('free');
  expect(opened.context.settlements.get('key')).toBe(settlement);
  expect(await decision.complete(answer)).toEqual(answer);
  expect(await second).toEqual({ kind: 'replay', answer, paymentResponse: decision.paymentResponse });
  expect(opened.context.settlements.size).toBe(0);
  expect(await holder()).toEqual({ state: 'answered', holder: null });
  // Served once: a late failure or a second answer changes nothing.
  await decision.fail('late');
  await expect(decision.complete(answer)).rejects.toThrow(LedgerOrderError);
  expect(opened.network.calls).toEqual(['settle']);
});

test('a replayed answer has the receipt that was stored with it', async () => {
  const settlement = begin();
  const [first, second] = [join(settlement), join(settlement)];
  await (await serve(first)).complete({ ...answer, paymentResponse: 'RECEIPT' });
  expect(await second).toMatchObject({ kind: 'replay', paymentResponse: 'RECEIPT' });
});

test('a failed request keeps the credit, and the waiting requests are refused with 503', async () => {
  const settlement = begin();
  const [first, second] = [join(settlement), join(settlement)];
  const decision = await serve(first);
  await decision.fail('x'.repeat(600));
  expect(await second).toMatchObject({
    kind: 'refuse',
    status: 503,
    headers: { 'PAYMENT-RESPONSE': decision.paymentResponse },
  });
  expect(await holder()).toEqual({ state: 'settled', holder: null });
  const [row] = await opened.stores.book.credits();
  expect(row).toMatchObject({ failures: 1, reason: 'x'.repeat(500) });
  expect(opened.context.settlements.size).toBe(0);
  // The next request with the payment serves the credit, without a second settlement.
  expect(await join()).toMatchObject({ kind: 'serve', paymentResponse: decision.paymentResponse });
  expect(opened.network.calls).toEqual(['settle']);
});

test('a failed free call returns to its wallet', async () => {
  opened.offer.trialGroup = 'pretrade';
  const settlement = begin();
  const [first, second] = [join(settlement), join(settlement)];
  const decision = await serve(first);
  expect(decision.free).toBe(true);
  await decision.fail('engine');
  expect(await second).toMatchObject({ kind: 'refuse', status: 503 });
  expect(await second).not.toHaveProperty(['headers', 'PAYMENT-RESPONSE']);
  expect(await opened.ledger.hasTrial('pretrade', '0xpayer')).toBe(false);
});

test('a settlement that outlasts the request is unknown to it, and becomes a credit', async () => {
  const { open, opening } = gate<{ kind: 'settled'; transaction: string }>();
  opened.network.settle = () => opening;
  opened.context.timings = { ...opened.context.timings, settleDeadlineMs: 5 };
  const settlement = begin();
  expect(await join(settlement)).toMatchObject({ kind: 'refuse', status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(settlement.waiting).toBe(0);
  open({ kind: 'settled', transaction: '0xpaid' });
  await settlement.result;
  expect(opened.context.settlements.size).toBe(0);
  expect(opened.context.releasing.size).toBe(0);
  expect(await holder()).toEqual({ state: 'settled', holder: null });
  opened.context.timings = { ...opened.context.timings, settleDeadlineMs: 5_000 };
  expect(await join()).toMatchObject({ kind: 'serve' });
});

test('a free call that no request waits for returns to its wallet', async () => {
  opened.offer.trialGroup = 'pretrade';
  await begin().result;
  expect(await holder()).toEqual({ state: 'refused', holder: null });
  expect(await opened.ledger.hasTrial('pretrade', '0xpayer')).toBe(false);
});

test('a refused settlement ends; a request that joined it gets the refusal', async () => {
  opened.network.settle = async () => ({ kind: 'refused', reason: 'reverted', detail: 'It reverted.' });
  const settlement = begin();
  expect(await join(settlement)).toMatchObject({ kind: 'refuse', status: 402, reason: 'reverted' });
  expect(opened.context.settlements.size).toBe(0);
  expect(opened.context.releasing.size).toBe(0);
});

test('an answer that another replica stored is replayed', async () => {
  const stored = { kind: 'answered', answer, paymentResponse: 'THEIRS' } as const;
  const settlement = startSettlement('f', async () => stored);
  expect(await join(settlement)).toEqual({ kind: 'replay', answer, paymentResponse: 'THEIRS' });
});

test('a request that waits too long for the answer of the first one is refused with 503', async () => {
  opened.context.timings = { ...opened.context.timings, joinDeadlineMs: 5 };
  const settlement = begin();
  const [first, second] = [join(settlement), join(settlement)];
  const decision = await serve(first);
  expect(await second).toMatchObject({ kind: 'refuse', status: 503 });
  expect(await decision.complete(answer)).toEqual(answer);
});

test('a handler without an answer fails after two minutes, and its late answer is rejected', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const decision = await serve(join());
  vi.advanceTimersByTime(119_999);
  expect(opened.context.settlements.size).toBe(1);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await expect.poll(holder).toEqual({ state: 'settled', holder: null });
  await expect(decision.complete(answer)).rejects.toThrow('timed out before its answer was complete');
  expect((await opened.stores.book.credits())[0]?.reason).toBe('The handler timed out');
});

test('a handler that answered has no timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const decision = await serve(join());
  await decision.complete(answer);
  expect(vi.getTimerCount()).toBe(0);
});

test('an answer that cannot be stored is an error, and the waiting requests keep the credit', async () => {
  const settlement = begin();
  const [first, second] = [join(settlement), join(settlement)];
  const decision = await serve(first);
  opened.context.ledger.answered = () => Promise.reject(new Error('PostgreSQL does not answer.'));
  await expect(decision.complete(answer)).rejects.toThrow('PostgreSQL does not answer.');
  expect(await second).toMatchObject({ kind: 'refuse', status: 503 });
  expect(opened.context.settlements.size).toBe(0);
});

test('a timeout that cannot be recorded is logged', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await serve(join());
  opened.context.ledger.failed = () => Promise.reject(new Error('PostgreSQL does not answer.'));
  vi.advanceTimersByTime(120_000);
  vi.useRealTimers();
  await expect
    .poll(() => opened.lines.filter(({ level }) => level === 'error'))
    .toMatchObject([{ message: 'The timeout of a handler could not be recorded', facts: { payment: 'key' } }]);
});

test('a new settlement waits until the claim of the earlier one is released', async () => {
  const { open, opening } = gate<void>();
  const { release } = opened.ledger;
  opened.context.ledger.release = async (key) => {
    await opening;
    await release(key);
  };
  const earlier = begin();
  await expect.poll(() => opened.context.releasing.has('key')).toBe(true);
  const next = join();
  // Without the wait it would find the claim of its own process and serve it while it is released.
  await new Promise(setImmediate);
  expect(opened.context.settlements.get('key')?.isServing).toBe(false);
  open();
  await earlier.result;
  expect(await next).toMatchObject({ kind: 'serve' });
  expect(opened.context.releasing.size).toBe(0);
  expect((await holder())?.holder).toBe(opened.stores.replica);
});

test('a claim that cannot be released is logged, and ends the release', async () => {
  opened.context.ledger.release = () => Promise.reject(new Error('PostgreSQL does not answer.'));
  expect(await begin().result).toMatchObject({ kind: 'settled' });
  expect(opened.lines.at(-1)).toMatchObject({ level: 'error', message: 'A claim could not be released' });
  expect(opened.context.releasing.size).toBe(0);
});

test('releases the credits that no request serves, and no others', async () => {
  const credits = ['served', 'releasing', 'left'];
  for (const key of credits) {
    await opened.claim(key);
    await opened.ledger.settled(key, 'RESPONSE');
  }
  opened.context.settlements.set('served', begin());
  opened.context.releasing.set('releasing', Promise.resolve());
  await releaseUnservedCredits(opened.context);
  expect((await opened.ledger.loadHeldCredits()).filter((key) => credits.includes(key)).toSorted()).toEqual([
    'releasing',
    'served',
  ]);
});
