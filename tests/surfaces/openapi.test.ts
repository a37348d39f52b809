import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChainUnavailableError } from '../../engine/index.ts';
import { buildDocument, catalogue, freeCalls } from '../../router/index.ts';
import { fakeAnswer } from './fakePorts.ts';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

const root = join(import.meta.dirname, '..', '..');
// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
const document: any = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addSchema(document, 'doc');

/** Validates a body against the published schema of an operation and status. Returns the violations. */
function findViolations(path: string, method: string, status: number, body: unknown): unknown {
  const pointer = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
  const reference = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const validate = ajv.compile({ $ref: `doc#/${reference}` });
  return validate(body) ? [] : validate.errors;
}

let served: Served;
let limited: Served;
beforeAll(async () => {
  served = await serveFakes({
    sandbox: {
      notice: 'SANDBOX',
      chains: { base: { chainId: 8453, rpcUrl: 'http://127.0.0.1:1' } },
      wallets: [],
      tokens: [],
    },
  });
  limited = await serveFakes({ perMinute: 1 });
  await limited.post('/v1/quote', quoteInput);
});
afterAll(async () => {
  await served.close();
  await limited.close();
});

test('default: openapi.json matches the router', () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(buildDocument())));
  execFileSync(process.execPath, ['--import', 'tsx', 'tools/generate/buildOpenapi.ts', '--check'], { cwd: root });
});

test('default: the document is OpenAPI 3.1 with a price and a 402 for each paid operation', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: '/' }]);
  for (const { path, aliases, priceUsd } of catalogue) {
    for (const alias of [path, ...aliases]) {
      const { post } = document.paths[alias];
      expect(post['x-payment-info'].price).toEqual({ mode: 'fixed', currency: 'USD', amount: priceUsd });
      expect(post.security).toEqual([]);
      expect(Object.keys(post.responses['402'].headers)).toContain('PAYMENT-REQUIRED');
    }
  }
});

test('default: every reference resolves and every operation id is unique', () => {
  const text = JSON.stringify(document);
  for (const [, reference = ''] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
    const found = reference
      .slice(1)
      .split('/')
      .reduce((at, part) => at?.[part.replaceAll('~1', '/')], document);
    expect(found, reference).toBeDefined();
  }
  const names = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('default: the examples match the schemas', () => {
  for (const path of catalogue.flatMap((item) => [item.path, ...item.aliases])) {
    const { requestBody, responses } = document.paths[path].post;
    const request = requestBody.content['application/json'];
    expect(ajv.validate({ $ref: `doc${request.schema.$ref}` }, request.example), path).toBe(true);
    expect(findViolations(path, 'post', 200, responses['200'].content['application/json'].example), path).toEqual([]);
  }
});

test('behavior: the published request schema accepts and rejects the same bodies as the service', () => {
  const validate = ajv.compile({ $ref: 'doc#/components/schemas/QuoteRequest' });
  const { sizeIn: _, ...unsized } = quoteInput;
  for (const valid of [quoteInput, { ...unsized, sizeUSD: '2500' }, { ...quoteInput, sizeUSD: '2500' }]) {
    expect(validate(valid), JSON.stringify(valid)).toBe(true);
  }
  for (const invalid of [
    { ...quoteInput, more: 1 },
    { ...quoteInput, sizeIn: 1.5 },
    { tokenIn: quoteInput.tokenIn, tokenOut: quoteInput.tokenOut },
    { ...quoteInput, sizeIn: '9'.repeat(79) },
    { ...quoteInput, chain: 'Base' },
  ]) {
    expect(validate(invalid), JSON.stringify(invalid)).toBe(false);
  }
});

test('behavior: the schemas reject a body without required fields', () => {
  expect(findViolations('/v1/quote', 'post', 402, { code: 'PAYMENT_REQUIRED' })).not.toEqual([]);
  expect(findViolations('/v1/quote', 'post', 200, { chain: 'base' })).not.toEqual([]);
});

const requests: [number, () => Promise<Response>][] = [
  [200, () => served.post('/v1/quote', quoteInput, payment())],
  [400, () => served.post('/v1/quote', { ...quoteInput, sizeIn: 1 })],
  [402, () => served.post('/v1/quote', quoteInput)],
  [404, () => served.post('/v1/quote/', quoteInput)],
  [405, () => fetch(`${served.url}/v1/quote`)],
  [413, () => served.post('/v1/quote', { a: 'x'.repeat(20_000) })],
  [415, () => served.post('/v1/quote', quoteInput, { 'content-type': 'text/plain' })],
  [422, () => served.post('/v1/quote', { ...quoteInput, chain: 'arb' })],
  [429, () => limited.post('/v1/quote', quoteInput)],
  [409, () => refuseWith({ status: 409, code: 'PAYMENT_REUSED' })],
  [402, () => refuseWith({ status: 402, code: 'PAYMENT_REQUIRED' })],
  [503, () => refuseWith({ status: 503, code: 'SETTLEMENT_UNKNOWN' })],
  [503, () => failWith(new ChainUnavailableError('base', 3))],
  [500, () => failWith(new Error('bug'))],
];

async function refuseWith(refusal: { status: 402 | 409 | 503; code: string }): Promise<Response> {
  served.paymentService.refusal = { kind: 'refuse', ...refusal, detail: 'Refused.', charged: null, headers: {} };
  const response = await served.post('/v1/quote', quoteInput, payment());
  served.paymentService.refusal = undefined;
  return response;
}

async function failWith(error: Error): Promise<Response> {
  served.engine.behaviour = async () => {
    throw error;
  };
  const response = await served.post('/v1/quote', quoteInput, payment());
  served.engine.behaviour = async () => fakeAnswer;
  return response;
}

test.each(requests)('behavior: the body of a %i response matches the document', async (status, send) => {
  const response = await send();
  expect(response.status).toBe(status);
  const body = await response.json();
  expect(findViolations('/v1/quote', 'post', status, body)).toEqual([]);
  const published = Object.keys(document.paths['/v1/quote'].post.responses[status].headers).map((name) =>
    name.toLowerCase(),
  );
  for (const name of ['payment-required', 'payment-response', 'retry-after', 'allow', 'idempotent-replayed']) {
    if (response.headers.has(name)) expect(published).toContain(name);
  }
});

test.each(['/health', '/sandbox'])('behavior: %s matches the document', async (path) => {
  expect(findViolations(path, 'get', 200, await (await fetch(served.url + path)).json())).toEqual([]);
});

test.each([
  [200, () => served.post('/trpc/quote', quoteInput, payment())],
  [400, () => served.post('/trpc/quote', { ...quoteInput, sizeIn: 1 })],
  [402, () => served.post('/trpc/quote', quoteInput)],
])(
  'behavior: a %i response of /trpc has the body and the payment headers that x-trpc describes',
  async (status, send) => {
    const { procedures, errorResponse, paymentHeaders } = document['x-trpc'];
    expect(procedures.quote).toMatchObject({ method: 'POST', path: '/trpc/quote', type: 'mutation' });
    const response = await send();
    expect(response.status).toBe(status);
    const pointer = status === 200 ? 'x-trpc/procedures/quote/response' : 'x-trpc/errorResponse';
    const validate = ajv.compile({ $ref: `doc#/${pointer}` });
    expect([validate(await response.json()), validate.errors]).toEqual([true, null]);
    expect(validate({ result: {}, error: {} })).toBe(false);
    expect(errorResponse.required).toEqual(['error']);
    if (status === 200) expect(response.headers.has(paymentHeaders.receipt)).toBe(true);
    if (status === 402) expect(response.headers.has(paymentHeaders.offer)).toBe(true);
  },
);

test('default: x-trpc lists every procedure with the schemas of its REST operation', () => {
  const { procedures } = document['x-trpc'];
  const calls = [...catalogue, ...freeCalls];
  expect(Object.keys(procedures)).toEqual(calls.map(({ name }) => name));
  for (const { name, path } of calls) {
    const { requestBody, responses } = document.paths[path].post;
    expect(procedures[name]).toMatchObject({
      path: `/trpc/${name}`,
      'x-canonical-path': path,
      input: requestBody.content['application/json'].schema,
      output: responses['200'].content['application/json'].schema,
    });
  }
});

test('error: the document describes the 503 of /health while the service shuts down', async () => {
  const draining = await serveFakes();
  await draining.drain();
  const response = await fetch(`${draining.url}/health`);
  expect(response.status).toBe(503);
  expect(findViolations('/health', 'get', 503, await response.json())).toEqual([]);
  await draining.close();
});
