import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { x402Client } from '@x402/fetch';
import { zeroAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RpcProxy } from '../../sandbox/index.ts';
import { openTwoChains, type TwoChains } from './twoChains.ts';

// Addresses without code and the native coin, in live mode with local Base and Polygon chains.

const price = 20_000n;
const withoutCode = `0x${'77'.repeat(20)}`;

let chains: TwoChains;
let base: TwoChains['base'];
let polygon: TwoChains['polygon'];
let proxies: TwoChains['proxies'];
let server: TwoChains['server'];
let openServer: TwoChains['openServer'];
let post: TwoChains['post'];
let sign: TwoChains['sign'];
let payer: TwoChains['payer'];
let balance: TwoChains['balance'];

beforeAll(async () => {
  chains = await openTwoChains();
  ({ base, polygon, proxies, server, openServer, post, sign, payer, balance } = chains);
});
afterAll(() => chains?.close());
beforeEach(() => {
  for (const proxy of Object.values(proxies)) {
    proxy.fault = () => undefined;
    proxy.requests.length = 0;
  }
});

const quoteInput = (change: object = {}) => ({
  tokenIn: base.wrappedNative as string,
  tokenOut: base.usdc as string,
  sizeIn: '1.25',
  ...change,
});

/** Counts requests that read the code of one of the addresses. */
const countCodeReads = (proxy: RpcProxy, ...addresses: string[]) =>
  proxy.requests.filter(({ calls }) =>
    calls.some(
      ({ method, params }) =>
        method === 'eth_getCode' && addresses.some((candidate) => candidate.toLowerCase() === params[0]),
    ),
  ).length;

test('default: 402 without an RPC request for an unpaid request with an address without code', async () => {
  for (const body of [quoteInput({ tokenIn: zeroAddress }), quoteInput({ tokenOut: withoutCode })]) {
    expect((await post('/v1/quote', body)).status).toBe(402);
  }
  expect(proxies.base.requests).toEqual([]);
  expect(proxies.polygon.requests).toEqual([]);
});

test.each([
  ['tokenIn', zeroAddress],
  ['tokenIn', withoutCode],
  ['tokenOut', withoutCode],
])(
  'error: 400, uncharged, with address, chain and block for %s %s; the signature can pay for a corrected request',
  async (side, address) => {
    const before = await balance();
    const signature = await sign();
    const refused = await post('/v1/quote', quoteInput({ [side]: address }), signature);
    const body = (await refused.json()) as { detail: string };
    expect(refused.status).toBe(400);
    expect(body).toMatchObject({
      code: 'INVALID_REQUEST',
      exampleRequest: { sizeIn: '1.5' },
      docs: expect.stringContaining('http'),
      detail: expect.stringMatching(new RegExp(`^${side} ${address} has no code on base at block \\d+`)),
    });
    expect(body.detail).toContain('This request charged nothing');
    expect(body.detail).toContain('same PAYMENT-SIGNATURE');
    expect(refused.headers.get('payment-response')).toBeNull();
    expect(await balance()).toBe(before);

    const corrected = await post('/v1/quote', quoteInput(), signature);
    expect(corrected.status).toBe(200);
    expect(before - (await balance())).toBe(price);
  },
);

test.each([
  ['0.0000000000000000001', 400],
  ['0.000000000000000001', 200],
])('a size of %s WETH, whose base unit is 1e-18, is answered with %i', async (sizeIn, status) => {
  const before = await balance();
  const response = await post('/v1/quote', quoteInput({ sizeIn }), await sign());
  expect(response.status).toBe(status);
  if (status === 200) return;
  const { detail } = (await response.json()) as { detail: string };
  expect(detail).toContain(
    `sizeIn ${sizeIn} is less than one base unit of tokenIn, which has 18 decimals. Send at least 0.000000000000000001.`,
  );
  expect(await balance()).toBe(before);
});

test('error: 400 with both addresses when tokenIn and tokenOut have no code', async () => {
  const response = await post('/v1/quote', quoteInput({ tokenIn: zeroAddress, tokenOut: withoutCode }), await sign());
  expect(response.status).toBe(400);
  const { detail } = (await response.json()) as { detail: string };
  expect(detail).toContain(`tokenIn ${zeroAddress} has no code`);
  expect(detail).toContain(`tokenOut ${withoutCode} has no code`);
});

test('error: 400 with both chains for a token of another chain', async () => {
  const before = await balance();
  const body = quoteInput({ tokenIn: polygon.wrappedNative, tokenOut: base.usdc, chain: 'polygon' });
  const response = await post('/v1/quote', body, await sign());
  expect(response.status).toBe(400);
  const { detail } = (await response.json()) as { detail: string };
  expect(detail).toMatch(
    new RegExp(`^tokenOut ${base.usdc} has no code on polygon at block \\d+\\. It is USDC on base\\.`),
  );
  expect(await balance()).toBe(before);
});

test('error: 503, uncharged, when the code cannot be read; the signature remains valid', async () => {
  const before = await balance();
  const signature = await sign();
  const body = quoteInput({ tokenIn: polygon.wrappedNative, tokenOut: withoutCode, chain: 'polygon' });
  proxies.polygon.fault = () => ({ kind: 'drop' });
  const response = await post('/v1/quote', body, signature);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(response.headers.get('retry-after')).toBeTruthy();
  expect(await balance()).toBe(before);
  proxies.polygon.fault = () => undefined;
  expect((await post('/v1/quote', quoteInput({ sizeIn: '1.5' }), signature)).status).toBe(200);
  expect(before - (await balance())).toBe(price);
});

test('error: 503, not 400, when the node returns an error for eth_getCode', async () => {
  const freshServer = await openServer('refusing');
  const before = await balance();
  proxies.base.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_getCode')
      ? { kind: 'rewrite', reply: (_text, calls) => withErrors(_text, calls) }
      : undefined;
  const response = await post('/v1/quote', quoteInput({ tokenOut: withoutCode }), await sign(freshServer), freshServer);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(await balance()).toBe(before);
});

/** Replaces the results of `eth_getCode` in a batch reply by errors. */
function withErrors(text: string, calls: { id: unknown; method: string }[]): string {
  const replies = JSON.parse(text) as { id: unknown }[];
  const codes = calls.filter(({ method }) => method === 'eth_getCode').map(({ id }) => id);
  const error = { code: -32000, message: 'missing trie node' };
  return JSON.stringify(
    replies.map((reply) => (codes.includes(reply.id) ? { jsonrpc: '2.0', id: reply.id, error } : reply)),
  );
}

test('security: 402 for an invalid signature without a read of the code', async () => {
  const offer = decodePaymentRequiredHeader((await post('/v1/quote', {})).headers.get('payment-required') ?? '');
  const payload = await payer().createPaymentPayload(offer);
  const forged = { ...payload, payload: { ...payload.payload, signature: `0x${'11'.repeat(64)}1b` } };
  const address = `0x${'78'.repeat(20)}`;
  const response = await post('/v1/quote', quoteInput({ tokenOut: address }), {
    'payment-signature': encodePaymentSignatureHeader(forged),
  });
  expect(response.status).toBe(402);
  expect(countCodeReads(proxies.base, address)).toBe(0);
});

test('behavior: reads the code of a contract once, and makes no RPC request for a replay', async () => {
  const freshServer = await openServer('once');
  const signature = await sign(freshServer);
  const buy = () => post('/v1/quote', quoteInput({ sizeIn: '3' }), signature, freshServer);
  expect((await buy()).status).toBe(200);
  expect(countCodeReads(proxies.base, base.wrappedNative, base.usdc)).toBe(2);
  expect((await post('/v1/quote', quoteInput({ sizeIn: '4' }), await sign(freshServer), freshServer)).status).toBe(200);
  expect(countCodeReads(proxies.base, base.wrappedNative, base.usdc)).toBe(2);
  proxies.base.fault = () => ({ kind: 'drop' });
  const replay = await buy();
  expect(replay.status).toBe(200);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
});

test('behavior: a refused request does not use the wallet’s free first call', async () => {
  const freshServer = await openServer('trial', { FREE_TRIAL_GROUPS: 'quote' });
  const before = await balance();
  const refused = await post('/v1/quote', quoteInput({ tokenOut: withoutCode }), await sign(freshServer), freshServer);
  expect(refused.status).toBe(400);
  expect((await post('/v1/quote', quoteInput(), await sign(freshServer), freshServer)).status).toBe(200);
  expect(await balance()).toBe(before);
  expect((await post('/v1/quote', quoteInput(), await sign(freshServer), freshServer)).status).toBe(200);
  expect(before - (await balance())).toBe(price);
});

test('error: tRPC returns the 400 for an address without code; the signature remains valid', async () => {
  const before = await balance();
  const signature = await sign();
  const refused = await post('/trpc/quote', quoteInput({ tokenIn: zeroAddress }), signature);
  expect(refused.status).toBe(400);
  const { error } = (await refused.json()) as { error: { data: { code: string; reason: object } } };
  expect(error.data.code).toBe('BAD_REQUEST');
  expect(error.data.reason).toMatchObject({
    code: 'INVALID_REQUEST',
    exampleRequest: { sizeIn: '1.5' },
    detail: expect.stringContaining(`tokenIn ${zeroAddress} has no code on base at block`),
  });
  expect(await balance()).toBe(before);
  expect((await post('/trpc/quote', quoteInput(), signature)).status).toBe(200);
  expect(before - (await balance())).toBe(price);
});

test('error: MCP returns the 400 for an address without code; the payment remains valid', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)) as Transport);
  const call = async (input: object, meta?: object) =>
    (await client.callTool({
      name: 'quote',
      arguments: { ...input },
      ...(meta && { _meta: { ...meta } }),
    })) as CallToolResult;
  const before = await balance();
  const unpaid = await call(quoteInput({ tokenOut: withoutCode }));
  expect(unpaid.structuredContent).toMatchObject({ code: 'PAYMENT_REQUIRED' });
  const offer = unpaid.structuredContent as unknown as Parameters<x402Client['createPaymentPayload']>[0];
  const payment = { 'x402/payment': await payer().createPaymentPayload(offer) };
  const refused = await call(quoteInput({ tokenOut: withoutCode }), payment);
  expect(refused.isError).toBe(true);
  expect(refused.structuredContent).toMatchObject({
    code: 'INVALID_REQUEST',
    status: 400,
    exampleRequest: { sizeIn: '1.5' },
    detail: expect.stringContaining(`tokenOut ${withoutCode} has no code on base at block`),
  });
  expect(await balance()).toBe(before);
  expect((await call(quoteInput(), payment)).isError).toBeFalsy();
  expect(before - (await balance())).toBe(price);
  await client.close();
});

const nativeCoin = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

test('default: the native coin has the quote of its wrapped token', async () => {
  const [native, wrapped] = await Promise.all(
    [nativeCoin.toLowerCase(), base.wrappedNative].map(async (tokenIn) => {
      const response = await post('/v1/quote', quoteInput({ tokenIn }), await sign());
      expect(response.status).toBe(200);
      return (await response.json()) as { tokenIn: string; amountOut: string; flags: { code: string }[] };
    }),
  );
  expect(native).toMatchObject({ tokenIn: base.wrappedNative, amountOut: wrapped?.amountOut });
  expect(native?.flags).toContainEqual(
    expect.objectContaining({ code: 'NATIVE_AS_WRAPPED', which: 'tokenIn', wrappedNative: base.wrappedNative }),
  );
});

test('error: 400, also without a payment, for the native coin and its wrapped token', async () => {
  for (const [name, chain] of [
    ['base', base],
    ['polygon', polygon],
  ] as const) {
    const sides = [nativeCoin.toLowerCase(), chain.wrappedNative.toLowerCase()] as const;
    for (const [tokenIn, tokenOut] of [sides, sides.toReversed()]) {
      const response = await post('/v1/quote', { tokenIn, tokenOut, sizeIn: '1', chain: name });
      expect(response.status).toBe(400);
      const { issues } = (await response.json()) as { issues: { path: string; message: string }[] };
      expect(issues).toEqual([{ path: 'tokenOut', message: expect.stringContaining(chain.wrappedNative) }]);
    }
  }
  const otherChain = { tokenIn: nativeCoin, tokenOut: base.wrappedNative, sizeIn: '1', chain: 'polygon' };
  expect((await post('/v1/quote', otherChain)).status).toBe(402);
});
