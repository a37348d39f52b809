import { expect, test } from 'vitest';
import { failureOf } from '../../tests/support/failureOf.ts';
import {
  AnswerPendingError,
  PaymentRefusedError,
  RequestRefusedError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../errors.ts';
import { buy, redeem } from './buy.ts';
import { answered, base, encode, offered, offerOf, polygon, type Reply, refused, sessionWith } from './fakeService.ts';

const request = { sizeIn: '1' };
const path = '/v1/quote';

/** Offers Base, and replies to its payment. */
const onBase = (reply: Reply | undefined) => (network: string | undefined) =>
  network === undefined ? offered([base]) : reply;

const withoutMember = (member: 'code' | 'detail'): Reply => ({
  status: 400,
  body: { code: 'CODE', detail: 'Detail.', [member]: undefined },
});

test('default: signs one payment, sends it to the configured URL only, and reports receipt and progress', async () => {
  const { session, requests, urls, signed, finished, progress } = sessionWith((network) =>
    network === undefined ? offered([base, polygon], { firstCall: 'free' }) : answered(),
  );
  const bought = await buy(session, path, request);
  expect(bought.answer).toEqual({ amountOut: '7' });
  expect(bought.receipt).toMatchObject({ paidUsd: 0.02, transaction: '0xaa', free: false });
  expect(requests).toEqual([undefined, base]);
  expect(urls).toEqual(['http://service.test/v1/quote', 'http://service.test/v1/quote']);
  expect(signed).toEqual([{ path, body: '{"sizeIn":"1"}', paymentSignature: expect.any(String) }]);
  expect(finished).toEqual(signed);
  expect(progress).toEqual([
    { stage: 'priced', priceUsd: 0.02, network: base, firstCallFree: true },
    { stage: 'settling', network: base },
  ]);
  expect(session.budget.spentUsd).toBe(0.02);
});

test('default: a call that is not free is reported so', async () => {
  const { session, progress } = sessionWith(onBase(answered()));
  await buy(session, path, request);
  expect(progress[0]).toEqual({ stage: 'priced', priceUsd: 0.02, network: base, firstCallFree: false });
});

test('default: an answer without a payment costs nothing', async () => {
  const { session, signed } = sessionWith(() => ({ status: 200, body: { amountOut: '7' } }));
  const { answer, receipt } = await buy(session, path, request);
  expect(answer).toEqual({ amountOut: '7' });
  expect(receipt).toMatchObject({ paidUsd: 0 });
  expect(signed).toEqual([]);
});

test.each<[string, Reply | undefined, new (...args: never[]) => Error, RegExp]>([
  ['the service is unreachable', undefined, UnavailableError, /cannot be reached\. Nothing was signed/],
  ['503', refused(503, false), UnavailableError, /CODE: Detail\. Nothing was signed\.$/],
  ['429', refused(429), UnavailableError, /Nothing was signed\.$/],
  ['500', refused(500), UnavailableError, /CODE: Detail\. Nothing was signed\.$/],
  ['a 503 without an error body', { status: 503 }, UnavailableError, /UNKNOWN: The service returned 503 without an/],
  ['an error body without a code', withoutMember('code'), RequestRefusedError, /UNKNOWN: The service returned 400/],
  ['an error body without a detail', withoutMember('detail'), RequestRefusedError, /UNKNOWN: The service returned 400/],
  ['400', refused(400), RequestRefusedError, /CODE: Detail\./],
  ['an answer that is no object', { status: 200, body: [1] }, UnexpectedAnswerError, /Nothing was signed/],
  ['a 402 without an offer', { status: 402 }, UnexpectedAnswerError, /no PAYMENT-REQUIRED header/],
])('error: signs nothing after %s', async (_case, reply, type, message) => {
  const { session, requests, signed } = sessionWith(() => reply);
  const error = await failureOf(buy(session, path, request));
  expect(error).toBeInstanceOf(type);
  expect(String(error)).toMatch(message);
  expect(error).not.toMatchObject({ pending: expect.anything() });
  expect(signed).toEqual([]);
  expect(new Set(requests)).toEqual(new Set([undefined]));
  expect(session.budget.spentUsd).toBe(0);
});

test.each<[string, Reply | undefined, { charged: true | null; counts: boolean }]>([
  ['no connection', undefined, { charged: null, counts: true }],
  ['503 without the member', refused(503), { charged: null, counts: true }],
  ['503 with charged null', refused(503, null), { charged: null, counts: true }],
  ['503 with charged true', refused(503, true), { charged: true, counts: true }],
  ['429 with charged null', refused(429, null), { charged: null, counts: true }],
  ["a proxy's page", { status: 502, body: '<html>' }, { charged: null, counts: true }],
  ['an error body below 400', refused(300), { charged: null, counts: true }],
  ["a proxy's 404", { status: 404, body: { error: 'x' } }, { charged: null, counts: true }],
  ['a page of a network', { status: 200, body: '<html>' }, { charged: null, counts: true }],
  ['an answer that is no object', { status: 200, body: [1] }, { charged: null, counts: true }],
  ['a redirect', { status: 308, headers: { location: 'http://other.test/' } }, { charged: null, counts: true }],
])('error: AnswerPendingError after %s for a payment', async (_case, reply, { charged }) => {
  const { session, signed, finished } = sessionWith(onBase(reply));
  const error = await failureOf(buy(session, path, request));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect(error).toMatchObject({ pending: signed[0], charged });
  expect(finished).toEqual([]);
  expect(session.budget.spentUsd).toBe(0.02);
});

test.each([503, 429, 500])(
  'error: UnavailableError with the payment after a %s that charged nothing',
  async (status) => {
    const { session, signed, finished, requests } = sessionWith(onBase(refused(status, false)));
    const error = await failureOf(buy(session, path, request));
    if (!(error instanceof UnavailableError)) throw error;
    expect(error.message).toBe('CODE: Detail.');
    expect(error).toMatchObject({ pending: signed[0], body: { code: 'CODE', status, charged: false } });
    expect(finished).toEqual([]);
    expect(requests.filter(Boolean)).toHaveLength(3);
    // Only a 503 may concern one network.
    expect(requests.filter((network) => network === undefined)).toHaveLength(status === 503 ? 4 : 1);
  },
);

test.each<[string, Reply, { type: new (...args: never[]) => Error; finishes: boolean }]>([
  ['402 with charged false', refused(402, false), { type: PaymentRefusedError, finishes: true }],
  ['402 with charged null', refused(402, null), { type: PaymentRefusedError, finishes: false }],
  ['402 without the member', refused(402), { type: PaymentRefusedError, finishes: false }],
  ['409 with charged true', refused(409, true), { type: RequestRefusedError, finishes: true }],
  ['400 with charged false', refused(400, false), { type: RequestRefusedError, finishes: true }],
])('error: a refusal with %s is final', async (_case, reply, { type, finishes }) => {
  const { session, signed, finished, requests } = sessionWith(onBase(reply));
  const error = await failureOf(buy(session, path, request));
  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject({ body: { code: 'CODE', status: reply.status } });
  expect(finished).toEqual(finishes ? signed : []);
  expect(requests).toEqual([undefined, base]);
});

test('error: PaymentRefusedError with the reason of the settlement, else of the offer', async () => {
  const settled = { 'payment-response': encode({ success: false, errorReason: 'expired' }) };
  const renewed = { 'payment-required': encode(offerOf([base], { error: 'insufficient_balance' })) };
  for (const [headers, reason] of [
    [{ ...settled, ...renewed }, 'expired'],
    [renewed, 'insufficient_balance'],
    [{}, 'no reason given'],
  ] as const) {
    const { session } = sessionWith(onBase(refused(402, false, headers)));
    expect(await failureOf(buy(session, path, request))).toMatchObject({ reason });
  }
});

test('error: the cause of an unavailable service, and of a pending answer, is kept', async () => {
  const lost = await failureOf(buy(sessionWith(() => undefined).session, path, request));
  expect(lost).toMatchObject({ cause: { message: 'fetch failed' } });
  const unavailable = await failureOf(buy(sessionWith(() => refused(503, false)).session, path, request));
  expect(unavailable).toMatchObject({ body: { code: 'CODE', status: 503, charged: false } });
  for (const [reply, cause] of [
    [undefined, { message: 'fetch failed' }],
    [{ status: 200, body: '<html>' }, { name: 'UnexpectedAnswerError' }],
    [refused(503, null), { name: 'UnavailableError', body: { code: 'CODE', status: 503, charged: null } }],
    [{ status: 502, body: '<html>' }, { body: { code: 'UNKNOWN', status: 502 } }],
  ] as const) {
    const { session } = sessionWith(onBase(reply));
    expect(await failureOf(buy(session, path, request))).toMatchObject({ name: 'AnswerPendingError', cause });
  }
});

test('behavior: the price of a resumed payment that cannot be decoded is 0', async () => {
  for (const paymentSignature of ['?', encode({}), encode({ accepted: {} })]) {
    const { session } = sessionWith(() => answered(), { fetch: async () => new Response('{}') });
    const { receipt } = await redeem(session, { path, body: '{}', paymentSignature });
    expect(receipt).toMatchObject({ paidUsd: 0 });
  }
});

test('behavior: what the service reports decides how long a payment counts', async () => {
  const pay = async (reply: Reply | undefined) => {
    const { session } = sessionWith(onBase(reply));
    const called: string[] = [];
    const { budget } = session;
    for (const method of ['charge', 'deny'] as const) {
      const original = budget[method].bind(budget);
      budget[method] = (signature) => {
        called.push(method);
        original(signature);
      };
    }
    await buy(session, path, request).catch(() => undefined);
    return called;
  };
  expect(await pay(answered())).toEqual(['charge']);
  expect(await pay(answered({ extra: { freeTrial: true } }))).toEqual(['deny']);
  expect(await pay(refused(409, true))).toEqual(['charge']);
  expect(await pay(refused(402, false))).toEqual(['deny']);
  expect(await pay(refused(402, null))).toEqual([]);
  expect(await pay(refused(503, true))).toEqual(['charge']);
  expect(await pay(undefined)).toEqual([]);
});

test('behavior: sends the same payment again in resume, and signs nothing', async () => {
  const { session, signed, finished, requests } = sessionWith((network, number) =>
    network === undefined ? offered([base, polygon]) : number < 5 ? undefined : answered(),
  );
  const error = await failureOf(buy(session, path, request));
  if (!(error instanceof AnswerPendingError)) throw error;
  expect((await redeem(session, error.pending)).receipt).toMatchObject({ paidUsd: 0.02 });
  expect(requests).toEqual([undefined, base, base, base, base]);
  expect(signed).toHaveLength(1);
  expect(finished).toEqual(signed);
});

test('behavior: resume signs nothing for another network', async () => {
  const { session, signed, requests } = sessionWith((network) =>
    network === undefined ? offered([base, polygon]) : refused(503, null),
  );
  const error = await failureOf(buy(session, path, request));
  if (!(error instanceof AnswerPendingError)) throw error;
  const { session: later, requests: laterRequests } = sessionWith(() => refused(503, false));
  expect(await failureOf(redeem(later, error.pending))).toBeInstanceOf(UnavailableError);
  expect(laterRequests).toEqual([base, base, base]);
  expect(signed).toHaveLength(1);
  expect(requests).toEqual([undefined, base, base, base]);
});

test('behavior: a resumed payment that was denied before counts for good when its outcome is lost', async () => {
  const replies = [refused(402, false), undefined, undefined, undefined];
  const { session, signed } = sessionWith((network) => (network === undefined ? offered([base]) : replies.shift()));
  const reopened: string[] = [];
  const original = session.budget.reopen.bind(session.budget);
  session.budget.reopen = (signature) => {
    reopened.push(signature);
    original(signature);
  };
  await failureOf(buy(session, path, request));
  const [pending] = signed;
  if (!pending) throw new Error('Nothing was signed.');
  await failureOf(redeem(session, pending));
  expect(reopened).toEqual([pending.paymentSignature, pending.paymentSignature]);
});

test('behavior: nothing is signed after an abort of the unpaid request', async () => {
  const caller = new AbortController();
  const { session, signed } = sessionWith(() => {
    caller.abort();
    return offered([base]);
  });
  const error = await failureOf(buy({ ...session, signal: caller.signal }, path, request));
  expect(error).toMatchObject({ name: 'AbortError' });
  expect(signed).toEqual([]);
  expect(session.budget.spentUsd).toBe(0);
});

test('behavior: a payment that is aborted before it is handed out does not count', async () => {
  const caller = new AbortController();
  const { session, signed, requests } = sessionWith(onBase(answered()), {
    onProgress: ({ stage }) => stage === 'priced' && caller.abort(),
  });
  const error = await failureOf(buy({ ...session, signal: caller.signal }, path, request));
  expect(error).toMatchObject({ name: 'AbortError' });
  expect(signed).toEqual([]);
  expect(requests).toEqual([undefined]);
  expect(session.budget.spentUsd).toBe(0);
});

test('error: a payment that onSigned rejects is not sent, and counts until it expires', async () => {
  for (const onSigned of [
    () => Promise.reject(new Error('The disk is full.')),
    () => {
      throw new Error('The disk is full.');
    },
  ]) {
    const { session, requests } = sessionWith(onBase(answered()), { onSigned });
    let denied = 0;
    session.budget.deny = () => {
      denied += 1;
    };
    expect(String(await failureOf(buy(session, path, request)))).toContain('The disk is full.');
    expect(requests).toEqual([undefined]);
    expect(denied).toBe(1);
    expect(session.budget.spentUsd).toBe(0.02);
  }
});

test('behavior: reports the reason of each wait', async () => {
  const replies = [undefined, refused(503, null), answered()];
  const { session, progress } = sessionWith((network) => (network === undefined ? offered([base]) : replies.shift()));
  await buy(session, path, request);
  expect(progress.filter(({ stage }) => stage === 'waiting')).toEqual([
    { stage: 'waiting', waitMs: 5, reason: 'the connection was lost' },
    { stage: 'waiting', waitMs: 0, reason: 'the service returned 503' },
  ]);
});
