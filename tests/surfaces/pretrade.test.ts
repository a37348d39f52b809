import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ChainUnavailableError } from '../../engine/index.ts';
import { appRouter, canonicalJson, RequestError } from '../../router/index.ts';
import { fakeCheck, fakeEngine, fakePretrade } from './fakePorts.ts';
import { payment, type Served, serveFakes } from './serveFakes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
const document: any = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addSchema(document, 'doc');
const validate = (name: string) => ajv.compile({ $ref: `doc#/components/schemas/${name}` });

const token = '0x4200000000000000000000000000000000000006';
const pretradeInput = { token, sizeUSD: '2500' } as const;
const rest = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];
const paths = [...rest, '/trpc/pretradeCheck'];

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.pretrade.queries.length = 0;
  served.pretrade.behaviour = async () => fakeCheck;
  served.paymentService.attempts.length = 0;
  served.paymentService.events.length = 0;
  served.engine.down = false;
});

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test is about
const bodyOf = (response: Response): Promise<any> => response.json();

const isTrpc = (path: string) => path.startsWith('/trpc');
// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test is about
const reasonOf = (path: string, body: any) => (isTrpc(path) ? body.error.data.reason : body);

describe.each(paths)('%s: payments and answers', (path) => {
  test('default: 402 without a payment, else an answer with every field of the document', async () => {
    const unpaid = await served.post(path, pretradeInput);
    expect(unpaid.status).toBe(402);
    expect(unpaid.headers.get('payment-required')).toBeTruthy();
    expect(served.pretrade.queries).toEqual([]);

    const response = await served.post(path, { ...pretradeInput, chain: 'eip155:8453' }, payment());
    expect(response.status).toBe(200);
    expect(response.headers.get('payment-response')).toBeTruthy();
    const body = await bodyOf(response);
    const answer = isTrpc(path) ? body.result.data : body;
    const check = validate('PretradeCheck');
    expect(check(answer) ? [] : check.errors).toEqual([]);
    expect(Object.keys(answer).sort()).toEqual(
      'chain token verdict triggers confidence reasons risk_profile flags quote sizeUSD disclaimer ts validUntil coverage liquidityCoverage identity valuation ownership dormancy market sources'
        .split(' ')
        .sort(),
    );
    expect(answer.identity.totalSupplyRaw).toBe((2n ** 256n - 1n).toString());
    expect(answer.disclaimer).toMatch(/not financial advice/i);
    expect(served.pretrade.queries).toEqual([{ chain: 'base', token, sizeUsd: '2500' }]);
  });

  test('behavior: passes no size to the engine when the body has none', async () => {
    expect((await served.post(path, { token }, payment())).status).toBe(200);
    expect(served.pretrade.queries).toEqual([{ chain: 'base', token }]);
  });

  test('error: 503, uncharged, while Base is unavailable', async () => {
    served.engine.down = true;
    const response = await served.post(path, pretradeInput, payment());
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(served.paymentService.attempts).toEqual([]);
  });

  test('error: 503 with a credit when the chain becomes unavailable after the payment', async () => {
    served.pretrade.behaviour = async () => {
      throw new ChainUnavailableError('base', 3);
    };
    const response = await served.post(path, pretradeInput, payment());
    expect(response.status).toBe(503);
    expect(response.headers.get('payment-response')).toBeTruthy();
    expect(reasonOf(path, await bodyOf(response)).detail).toContain('same PAYMENT-SIGNATURE');
    expect(served.paymentService.events).toEqual(['fail UPSTREAM_UNAVAILABLE']);
  });
});

describe.each(paths)('%s: rejected requests', (path) => {
  test.each(['polygon', 'matic', 'eip155:137', 'arbitrum', 'arbitrum-one', 'arb', 'eip155:42161'])(
    'error: UNSUPPORTED_CHAIN, uncharged, for %s with and without a payment',
    async (chain) => {
      for (const headers of [{}, payment()]) {
        const response = await served.post(path, { ...pretradeInput, chain }, headers);
        expect(response.status).toBe(422);
        expect(reasonOf(path, await bodyOf(response))).toMatchObject({
          code: 'UNSUPPORTED_CHAIN',
          status: 422,
          exampleRequest: { token },
        });
      }
      expect(served.paymentService.attempts).toEqual([]);
      expect(served.pretrade.queries).toEqual([]);
    },
  );

  test.each([
    ['no token', { sizeUSD: '1' }, 'token'],
    ['a short token', { token: '0x12' }, 'token'],
    ['a number as size', { token, sizeUSD: 1000 }, 'sizeUSD'],
    ['a size of zero', { token, sizeUSD: '0' }, 'sizeUSD'],
    ['a size of 79 characters', { token, sizeUSD: '9'.repeat(79) }, 'sizeUSD'],
    ['an unknown chain', { token, chain: 'Base' }, 'chain'],
    ['an unknown property', { token, sizeIn: '1' }, 'sizeIn'],
  ])('error: INVALID_REQUEST, uncharged, with an example for %s', async (_case, body, at) => {
    const response = await served.post(path, body, payment());
    expect(response.status).toBe(400);
    const reason = reasonOf(path, await bodyOf(response));
    expect(reason.issues.map((issue: { path: string }) => issue.path)).toContain(at);
    expect(reason.exampleRequest).toMatchObject({ token });
    expect(served.paymentService.attempts).toEqual([]);
  });

  test('behavior: an empty body is 402 without payment and 400 with one', async () => {
    expect((await served.post(path, '')).status).toBe(402);
    expect((await served.post(path, {})).status).toBe(402);
    expect((await served.post(path, {}, payment())).status).toBe(400);
  });

  test('error: 405 with the header Allow: POST for GET', async () => {
    const response = await fetch(served.url + path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

test('behavior: the payment service gets the same product, route and input for the three REST paths', async () => {
  for (const path of rest) await served.post(path, pretradeInput, payment());
  expect(
    new Set(
      served.paymentService.attempts.map(({ paid, route, canonicalInput }) => `${paid}|${route}|${canonicalInput}`),
    ).size,
  ).toBe(1);
  expect(served.paymentService.attempts).toHaveLength(3);
  expect(served.paymentService.attempts[0]).toMatchObject({ paid: 'pretradeCheck', route: 'POST /v1/pretrade/check' });
});

test.each([
  '/v1/pretrade',
  '/v1/pretrade/check/',
  '/v1/pretrade%2Fcheck',
  '/v1/pretrade//check',
  '/v1/Token-safety',
  '/v1/token-safety/',
  '/v1/rug_check',
  '/v1/rug-check/x',
  '/trpc/pretradeCheck/',
  '/trpc/pretradeCheck?batch=1',
  '/trpc/quote,pretradeCheck',
  '/trpc/pretrade.check',
  '/trpc/x/pretradeCheck',
])('error: NOT_FOUND, uncharged, for %s', async (target) => {
  expect((await served.post(target, pretradeInput, payment())).status).toBe(404);
  expect(served.pretrade.queries).toEqual([]);
  expect(served.paymentService.attempts).toEqual([]);
});

test('behavior: the published request schema rejects the same bodies as the service', () => {
  const check = validate('PretradeRequest');
  expect(check(pretradeInput)).toBe(true);
  for (const invalid of [{}, { ...pretradeInput, more: 1 }, { ...pretradeInput, sizeUSD: 5 }, { token: '0x1' }]) {
    expect(check(invalid), JSON.stringify(invalid)).toBe(false);
  }
});

test('error: RequestError for a ticket of a quote or of another token', async () => {
  const pretrade = fakePretrade();
  for (const ticket of [
    { paid: 'quote', canonicalInput: canonicalJson(pretradeInput) },
    { paid: 'pretradeCheck', canonicalInput: canonicalJson({ ...pretradeInput, sizeUSD: '1' }) },
  ]) {
    const caller = appRouter.createCaller({
      engine: fakeEngine(),
      pretrade,
      ticket,
      requestId: 'r',
      baseUrl: '',
    });
    const error = await caller.pretradeCheck(pretradeInput).catch((reason: Error) => reason.cause);
    expect(error).toBeInstanceOf(RequestError);
  }
  expect(pretrade.queries).toEqual([]);
});

test('behavior: the check receives whether its call is free', async () => {
  const pretrade = fakePretrade();
  const ticket = { paid: 'pretradeCheck', canonicalInput: canonicalJson(pretradeInput) };
  for (const given of [ticket, { ...ticket, free: true as const }]) {
    const query = { chain: 'base', token };
    const context = { engine: fakeEngine(), pretrade, ticket: given, query, requestId: 'r', baseUrl: '' };
    await appRouter.createCaller(context).pretradeCheck(pretradeInput);
  }
  expect(pretrade.freeCalls).toEqual([false, true]);
});
