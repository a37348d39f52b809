import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  createJWS,
  extractReceiptFromResponse,
  type JWSSignedReceipt,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../client/cli/exitCodes.ts';
import { run } from '../../client/cli/run.ts';
import { createReceiptIssuer } from '../../server/payments/receipts.ts';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { payment, quoteInput, type Served, serveFakes } from '../surfaces/serveFakes.ts';

// Signed receipts of the offer-receipt extension. The published package verifies them with the key from the service's
// DID document.

let service: StartedSandbox;
let folder: string;
let withoutKey: Served;
beforeAll(async () => {
  service = await startedSandbox();
  folder = await mkdtemp(join(tmpdir(), 'truefill-receipts-'));
  withoutKey = await serveFakes();
});
afterAll(async () => {
  await service?.close();
  await withoutKey?.close();
  if (folder) await rm(folder, { recursive: true });
});

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const quote = { tokenIn: weth, tokenOut: usdc, sizeIn: '1.5' };

const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function sign(path: string, body: unknown, role = 'demo') {
  const offer = decodePaymentRequiredHeader((await send(path, body)).headers.get('payment-required') ?? '');
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(service.keyOf(role))));
  return { 'payment-signature': encodePaymentSignatureHeader(await client.createPaymentPayload(offer)) };
}

const receiptOf = (response: Response) => extractReceiptFromResponse(response) as JWSSignedReceipt | undefined;
const headerOf = (response: Response) => response.headers.get('payment-response') ?? '';
const decoded = (header: string) => JSON.parse(Buffer.from(header, 'base64').toString('utf8'));

async function buy(path = '/v1/quote', body: unknown = quote) {
  const headers = await sign(path, body);
  const response = await send(path, body, headers);
  expect(response.status).toBe(200);
  return { response, again: () => send(path, body, headers) };
}

test('default: a paid answer contains a receipt that the published package verifies with the published key', async () => {
  const { response } = await buy();
  const receipt = receiptOf(response);
  if (!receipt) throw new Error('No receipt.');
  expect(await verifyReceiptSignatureJWS(receipt)).toEqual({
    version: 1,
    resourceUrl: `${service.url}/v1/quote`,
    payer: privateKeyToAccount(service.keyOf('demo')).address,
    network: 'eip155:8453',
    transaction: decoded(headerOf(response)).transaction,
    issuedAt: expect.any(Number),
  });

  const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
  expect(await verifyReceiptSignatureJWS(receipt, keys[0] as never)).toMatchObject({ version: 1 });
  expect(keys[0]).not.toHaveProperty('d');
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Record<string, unknown>;
  expect(document['x-receipts']).toMatchObject({ keyId: keys[0]?.kid, extension: 'offer-receipt' });
  const wellKnown = (await (await fetch(`${service.url}/.well-known/x402.json`)).json()) as Record<string, unknown>;
  expect(wellKnown.receipts).toEqual(document['x-receipts']);
});

test('default: a replay has the same bytes as the first answer, including the receipt', async () => {
  const { response, again } = await buy();
  const first = { header: headerOf(response), body: await response.text() };
  expect(first.header).not.toBe('');
  const replay = await again();
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect({ header: headerOf(replay), body: await replay.text() }).toEqual(first);
});

test('behavior: concurrent identical requests get the same receipt', async () => {
  const headers = await sign('/v1/quote', quote);
  const responses = await Promise.all([1, 2, 3].map(() => send('/v1/quote', quote, headers)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(responses.map(headerOf)).size).toBe(1);
  expect(receiptOf(responses[0] as Response)).toBeDefined();
});

test('default: a paid tRPC call gets a receipt for its own path', async () => {
  const receipt = receiptOf((await buy('/trpc/quote')).response);
  expect(receipt && (await verifyReceiptSignatureJWS(receipt))).toMatchObject({
    resourceUrl: `${service.url}/trpc/quote`,
  });
});

test('default: a paid MCP tool call gets a receipt', async () => {
  const signed = await sign('/v1/quote', quote);
  const params = { name: 'quote', arguments: quote, _meta: { 'x402/payment': decoded(signed['payment-signature']) } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const response = await send('/mcp', message, { accept: 'application/json, text/event-stream' });
  const { result } = (await response.json()) as { result: { _meta: Record<string, unknown> } };
  const settled = result._meta['x402/payment-response'] as {
    extensions: { 'offer-receipt': { info: { receipt: JWSSignedReceipt } } };
  };
  const { receipt } = settled.extensions['offer-receipt'].info;
  expect(await verifyReceiptSignatureJWS(receipt)).toMatchObject({ resourceUrl: `${service.url}/v1/quote` });
});

test('behavior: a free call gets no receipt; the next, paid call at an alias gets one for its path', async () => {
  const free = await buy('/v1/pretrade/check', { token: weth });
  expect(decoded(headerOf(free.response))).toMatchObject({ extra: { freeTrial: true } });
  expect(receiptOf(free.response)).toBeUndefined();
  expect(receiptOf(await free.again())).toBeUndefined();
  const receipt = receiptOf((await buy('/v1/rug-check', { token: weth })).response);
  expect(receipt && (await verifyReceiptSignatureJWS(receipt))).toMatchObject({
    resourceUrl: `${service.url}/v1/rug-check`,
  });
});

test('behavior: without a receipt key, answers have no receipts and the documents do not mention them', async () => {
  const response = await withoutKey.post('/v1/quote', quoteInput, payment());
  expect(response.status).toBe(200);
  expect(receiptOf(response)).toBeUndefined();
  for (const path of ['/.well-known/did.json', '/.well-known/jwks.json'])
    expect((await fetch(withoutKey.url + path)).status).toBe(404);
  const document = await (await fetch(`${withoutKey.url}/openapi.json`)).json();
  expect(document).not.toHaveProperty('x-receipts');
  expect(await (await fetch(`${withoutKey.url}/llms.txt`)).text()).not.toContain('receipt.signature');
});

/** Runs the command line client in this process. */
async function runCli(...args: string[]) {
  let out = '';
  let err = '';
  const exit = await run(args, {
    env: { TRUEFILL_URL: service.url },
    stdin: Readable.from([]),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { exit, out, err };
}

const save = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

test('default: `truefill receipt verify` accepts a response file, the header, the JWS and JSON, with the host’s key', async () => {
  const { response } = await buy();
  const header = headerOf(response);
  const file = await save('answer.txt', `HTTP/1.1 200 OK\r\nPAYMENT-RESPONSE: ${header}\r\n\r\n{}`);
  for (const receipt of [file, header, receiptOf(response)?.signature ?? '', JSON.stringify(decoded(header))]) {
    const { exit, out } = await runCli('receipt', 'verify', receipt);
    expect(exit).toBe(exitCodes.answered);
    expect(out).toContain(decoded(header).transaction);
  }
});

test.each(['jwks.json', 'did.json'])(
  'default: `truefill receipt verify --key` verifies offline with a saved %s',
  async (name) => {
    const { response } = await buy();
    const key = await save(name, await (await fetch(`${service.url}/.well-known/${name}`)).text());
    const { exit, out } = await runCli('receipt', 'verify', headerOf(response), '--key', key, '--json');
    expect(exit).toBe(exitCodes.answered);
    expect(JSON.parse(out)).toMatchObject({ resourceUrl: `${service.url}/v1/quote`, network: 'eip155:8453' });
  },
);

test('error: `truefill receipt verify` rejects a changed receipt, another key, another host, `alg: none` and a free call', async () => {
  const { response } = await buy();
  const [head = '', body = '', signature = ''] = (receiptOf(response)?.signature ?? '').split('.');
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...payload, payer: `0x${'11'.repeat(20)}` })).toString('base64url');
  const rejected = await runCli('receipt', 'verify', `${head}.${changed}.${signature}`);
  expect(rejected).toMatchObject({ exit: exitCodes.failed, out: '' });
  expect(rejected.err).toContain('The signature does not match did:web:');

  const { jwks } = createReceiptIssuer(`0x${'07'.repeat(32)}`, service.url);
  const otherKey = await save('otherKey.json', JSON.stringify({ ...jwks.keys[0], kid: undefined }));
  const withOtherKey = await runCli('receipt', 'verify', headerOf(response), '--key', otherKey);
  expect(withOtherKey.exit).toBe(exitCodes.failed);

  // The signature is valid, but the key belongs to another host.
  const issuer = createReceiptIssuer(`0x${'07'.repeat(32)}`, 'https://elsewhere.example');
  const settled = Buffer.from(JSON.stringify(decoded(headerOf(response)))).toString('base64');
  const otherHostReceipt = decoded(await issuer.addReceipt(settled, `${service.url}/v1/quote`));
  const otherHostKey = await save('foreign.json', JSON.stringify(issuer.didDocument));
  const withOtherHost = await runCli('receipt', 'verify', JSON.stringify(otherHostReceipt), '--key', otherHostKey);
  expect(withOtherHost.exit).toBe(exitCodes.failed);
  expect(withOtherHost.err).toContain('does not belong to that host');

  const unsigned = await createJWS(payload, {
    kid: 'did:web:x#y',
    format: 'jws',
    algorithm: 'none',
    sign: async () => 'AA',
  });
  expect((await runCli('receipt', 'verify', unsigned)).err).toContain('signed with none');
  const free = Buffer.from('{"success":true,"extra":{"freeTrial":true}}').toString('base64');
  expect(await runCli('receipt', 'verify', free)).toMatchObject({ exit: exitCodes.usage });
});
