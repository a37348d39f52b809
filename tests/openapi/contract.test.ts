import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue, type SandboxBody } from '../../router/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { isFullSize } from '../support/proofSize.ts';
import { changedBody, validFields } from './generateBodies.ts';
import { PublishedContract } from './publishedContract.ts';

// Requests that are generated from the published document and sent to the sandbox of `npm start`. Every response must
// match the document, and the service must accept exactly the documented bodies.

let server: RunningServer;
let contract: PublishedContract;
let pay: typeof fetch;
let tokens: string[];

beforeAll(async () => {
  server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '100000' }));
  contract = new PublishedContract(await (await fetch(`${server.url}/openapi.json`)).json());
  const sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as SandboxBody;
  tokens = sandbox.tokens.filter(({ chain }) => chain === 'base').map(({ address }) => address);
  const demo = sandbox.wallets.find(({ role }) => role === 'demo');
  const account = privateKeyToAccount(demo?.privateKey as Hex);
  pay = wrapFetchWithPayment(
    fetch,
    new x402Client().register('eip155:8453', new ExactEvmScheme(account)),
  ) as typeof fetch;
});
afterAll(() => server?.close());

const send = (path: string, body: unknown, through = fetch) =>
  through(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body) ?? '',
  });

const schemaOf = (path: string) => {
  const { $ref } = contract.document.paths[path].post.requestBody.content['application/json'].schema;
  return contract.document.components.schemas[$ref.split('/').at(-1)];
};

const isEmptyBody = (body: unknown) => JSON.stringify(body) === '{}' || body === undefined;

const paidPaths = catalogue.flatMap(({ path, aliases }) => [path, ...aliases]);

test.each(paidPaths)('behavior: an unpaid request with any body to %s gets a documented response', async (path) => {
  const statuses = new Set<number>();
  const requests = fc.sample(fc.oneof(validFields(schemaOf(path)), changedBody(schemaOf(path))), {
    numRuns: isFullSize ? 150 : 75,
    seed: 402,
  });
  for (const body of requests) {
    const response = await send(path, body);
    statuses.add(response.status);
    const received = `${response.status} to ${JSON.stringify(body)}`;
    expect(await contract.faults('POST', path, response), received).toEqual([]);
    if (isEmptyBody(body)) expect(response.status).toBe(402);
    else if (!contract.accepts(path, body)) expect(response.status, received).toBe(400);
    // 422: the chain is valid, but not served.
    else expect([402, 422], received).toContain(response.status);
  }
  expect(statuses).toContain(400);
  expect(statuses).toContain(402);
});

test.each(paidPaths)('behavior: a paid request to %s gets a documented response', async (path) => {
  const statuses = new Map<number, number>();
  const existing = fc.constantFrom(...tokens);
  const schema = schemaOf(path);
  const requests = fc.sample(validFields(schema), { numRuns: 8, seed: 7 });
  const addresses = fc.sample(fc.tuple(existing, existing), { numRuns: requests.length, seed: 9 });
  for (const [at, body] of requests.entries()) {
    const [first, second] = addresses[at] ?? [];
    // Half of the requests use existing tokens.
    const known = at % 2 === 0 ? {} : 'token' in body ? { token: first } : { tokenIn: first, tokenOut: second };
    const response = await send(path, { ...body, chain: 'base', ...known }, pay);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    expect(await contract.faults('POST', path, response), JSON.stringify({ ...body, ...known })).toEqual([]);
  }
  expect(statuses.get(200) ?? 0, JSON.stringify([...statuses])).toBeGreaterThan(3);
});

test.each([
  ['not JSON', '{', {}, 400],
  ['another type', '{}x', { 'content-type': 'text/plain' }, 415],
  ['a compressed body', '{}x', { 'content-encoding': 'gzip' }, 415],
  ['a large body', JSON.stringify({ token: 'x'.repeat(20_000) }), {}, 413],
  ['an invalid payment header', '{}x', { 'payment-signature': '!!!' }, 400],
])('error: %s gets a documented response', async (_what, body, headers, status) => {
  for (const path of paidPaths) {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    expect(response.status).toBe(status);
    expect(await contract.faults('POST', path, response)).toEqual([]);
  }
});

test('default: every free path returns a documented response', async () => {
  const free = Object.entries(contract.document.paths).filter(([, operations]) => 'get' in (operations as object));
  expect(free.length).toBeGreaterThan(5);
  for (const [path] of free) {
    const response = await fetch(server.url + path);
    expect(response.status, path).toBe(200);
    expect(await contract.faults('GET', path, response), path).toEqual([]);
  }
});

test('error: a wrong method gets a documented response', async () => {
  for (const path of paidPaths) {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(405);
    expect(await contract.faults('POST', path, response)).toEqual([]);
  }
});

test('error: the validator reports an undocumented response', async () => {
  const undocumented = new Response('{"chain":"base"}', {
    headers: { 'content-type': 'application/json', 'x-new': '1' },
  });
  expect(await contract.faults('POST', '/v1/quote', undocumented)).toContain('header x-new is not published');
  expect(await contract.faults('POST', '/v1/quote', new Response('', { status: 418 }))).toHaveLength(1);
  expect(await contract.faults('POST', '/v1/nothing', new Response(''))).toHaveLength(1);
});
