import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markSpending } from '../../client/mcp/serveStdio.ts';
import { catalogue } from '../../router/index.ts';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { PublishedContract } from '../openapi/publishedContract.ts';

// The client of SDK 1.x on both transports with the whole sandbox. `revisions.test.ts` covers both revisions of MCP.

const root = join(import.meta.dirname, '..', '..');
const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const quoteInput = { tokenIn: weth, tokenOut: usdc, sizeIn: '2' };

let service: StartedSandbox;
let http: Client;
beforeAll(async () => {
  service = await startedSandbox();
  http = new Client({ name: 'a test', version: '1' });
  await http.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url)) as Transport);
});
afterAll(async () => {
  await http?.close();
  await service?.close();
});

const call = async (client: Client, name: string, input: object, meta?: object): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: { ...input }, ...(meta && { _meta: { ...meta } }) })) as CallToolResult;

/** Signs the offer of a result. */
async function pay(result: CallToolResult, role = 'demo') {
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(service.keyOf(role))));
  const offer = result.structuredContent as unknown as Parameters<typeof payer.createPaymentPayload>[0];
  return { 'x402/payment': await payer.createPaymentPayload(offer) };
}

test('default: lists the paid tools and health with descriptions, prices and input schemas', async () => {
  const { tools } = await http.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['quote', 'pretrade_check', 'build_transaction', 'health']);
  for (const [at, { priceUsd }] of catalogue.entries()) {
    expect(tools[at]?.description).toContain(`${priceUsd} USD`);
    expect(tools[at]?.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  expect(http.getInstructions()).toContain('x402/payment');
});

test('the structured content of results and errors matches the output schema of its tool', async () => {
  const { tools } = await http.listTools();
  for (const { name, outputSchema } of tools) expect(outputSchema, name).toMatchObject({ type: 'object' });
  // After tools/list the client rejects structured content that does not match.
  expect((await call(http, 'health', {})).isError).toBeUndefined();
  expect((await call(http, 'quote', {})).isError).toBe(true);
  const token = { token: weth };
  const unpaid = await call(http, 'pretrade_check', token);
  const { isError, structuredContent } = await call(http, 'pretrade_check', token, await pay(unpaid));
  expect({ isError, structuredContent }).toMatchObject({ isError: undefined, structuredContent: { chain: 'base' } });
});

test('security: paid tools are neither read-only nor idempotent, over HTTP and in the client', async () => {
  const { tools } = await http.listTools();
  const spendingAnnotations = {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  };
  for (const { name, annotations } of tools)
    expect(annotations, name).toEqual(
      ['health', 'build_transaction'].includes(name)
        ? { readOnlyHint: true, openWorldHint: true }
        : spendingAnnotations,
    );
  // The client overrides annotations of a service that claim that paid tools are read-only.
  const claimed = { name: 'quote', inputSchema: { type: 'object' as const }, annotations: { readOnlyHint: true } };
  expect(markSpending(claimed).annotations).toEqual(spendingAnnotations);
});

test('default: over HTTP a tool requires payment, accepts it in _meta and returns the REST answer', async () => {
  const unpaid = await call(http, 'quote', quoteInput);
  expect(unpaid.isError).toBe(true);
  expect(unpaid.structuredContent).toMatchObject({
    code: 'PAYMENT_REQUIRED',
    x402Version: 2,
    accepts: expect.any(Array),
  });

  const payment = await pay(unpaid);
  const bought = await call(http, 'quote', quoteInput, payment);
  expect(bought.isError).toBeFalsy();
  expect(bought._meta?.['x402/payment-response']).toMatchObject({ success: true, network: 'eip155:8453' });
  const contract = new PublishedContract(await (await fetch(`${service.url}/openapi.json`)).json());
  const response = new Response(JSON.stringify(bought.structuredContent), {
    headers: { 'content-type': 'application/json' },
  });
  expect(await contract.faults('POST', '/v1/quote', response)).toEqual([]);

  // The same payment replays the answer, also over REST, and is refused for another request.
  expect((await call(http, 'quote', quoteInput, payment)).content).toEqual(bought.content);
  const header = Buffer.from(JSON.stringify(payment['x402/payment'])).toString('base64');
  const rest = await fetch(`${service.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': header },
    body: JSON.stringify(quoteInput),
  });
  expect(rest.headers.get('idempotent-replayed')).toBe('true');
  expect(await rest.json()).toEqual(bought.structuredContent);
  const other = await call(http, 'quote', { ...quoteInput, sizeIn: '3' }, payment);
  expect(other).toMatchObject({ isError: true, structuredContent: { code: 'PAYMENT_REUSED' } });
});

test('default: the first check is free over MCP; offer and receipt state this', async () => {
  const unpaid = await call(http, 'pretrade_check', { token: weth });
  expect(unpaid.structuredContent).toMatchObject({ firstCall: 'free' });
  const check = await call(http, 'pretrade_check', { token: weth }, await pay(unpaid, 'trader'));
  expect(check.structuredContent).toMatchObject({ verdict: 'clear' });
  expect(check._meta?.['x402/payment-response']).toMatchObject({ extra: { freeTrial: true } });
});

test('error: refuses an invalid argument, a malformed payment, a wallet without funds and an unknown tool', async () => {
  const invalid = await call(http, 'quote', { ...quoteInput, sizeIn: '0' });
  expect(invalid).toMatchObject({
    isError: true,
    structuredContent: { code: 'INVALID_REQUEST', issues: [{ path: 'sizeIn' }] },
  });
  const malformed = await call(http, 'quote', quoteInput, { 'x402/payment': { x402Version: 2 } });
  expect(malformed).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_REQUEST' } });
  const unfunded = await call(http, 'quote', quoteInput, await pay(await call(http, 'quote', quoteInput), 'stranger'));
  expect(unfunded).toMatchObject({ isError: true, structuredContent: { code: 'PAYMENT_REQUIRED' } });
  await expect(http.callTool({ name: 'sell_everything', arguments: {} })).rejects.toThrow('Unknown tool');
});

test('behavior: a retry with the payment of an aborted call returns the answer, charged once', async () => {
  const quoteInput = { tokenIn: weth, tokenOut: usdc, sizeIn: '5' };
  const payment = await pay(await call(http, 'quote', quoteInput));
  const controller = new AbortController();
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'quote', arguments: quoteInput, _meta: payment },
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const aborted = fetch(`${service.url}/mcp`, { method: 'POST', body, headers, signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await aborted.then(
    (response) => response.body?.cancel(),
    (error: Error) => expect(error.name).toBe('AbortError'),
  );
  const retry = await call(http, 'quote', quoteInput, payment);
  expect(retry.structuredContent).toMatchObject({ amountIn: '5000000000000000000' });
  const third = await call(http, 'quote', quoteInput, payment);
  expect(third).toEqual(retry);
});

test('error: rejects requests that are not MCP', async () => {
  const post = (body: string, headers = {}) =>
    fetch(`${service.url}/mcp`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  expect((await fetch(`${service.url}/mcp`)).status).toBe(405);
  expect((await post('{')).status).toBe(400);
  expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await post(JSON.stringify({ a: 'x'.repeat(20_000) }))).status).toBe(413);
  const accept = { accept: 'application/json, text/event-stream' };
  expect((await post('{"jsonrpc":"2.0"}', accept)).status).toBe(400);
  expect((await post('{}', accept)).status).toBe(400);
  expect((await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(406);
});

test('default: over stdio the user’s wallet pays up to its spend limit', async () => {
  const stdio = new Client({ name: 'a test', version: '1' });
  const args = ['--import', 'tsx', 'client/cli/main.ts', 'mcp', '--sandbox', '--url', service.url, '--max-usd', '0.03'];
  await stdio.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: root, stderr: 'pipe' }) as Transport,
  );
  expect((await stdio.listTools()).tools).toEqual((await http.listTools()).tools);
  expect((await call(stdio, 'health', {})).structuredContent).toMatchObject({ status: 'ok', mode: 'sandbox' });

  const quote = await call(stdio, 'quote', quoteInput);
  expect(quote.structuredContent).toMatchObject({ chain: 'base', tokenIn: weth });
  expect(quote._meta).toEqual({ 'truefill/spentUsd': 0.02 });
  const over = await call(stdio, 'quote', { ...quoteInput, sizeIn: '4' });
  expect(over.isError).toBe(true);
  expect(JSON.stringify(over.content)).toContain('SpendLimitError');
  await stdio.close();
});
