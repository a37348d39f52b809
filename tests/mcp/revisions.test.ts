import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { createPublicClient, createWalletClient, erc20Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../router/index.ts';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { mined } from '../payments/waitForChain.ts';

// The published clients of both MCP revisions with the whole sandbox. The tests assert on the payer's USDC balance.

const root = join(import.meta.dirname, '..', '..');
const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const price = 20_000n;

interface ToolResult {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  content?: unknown;
  _meta?: Record<string, unknown> | undefined;
}

interface ToolClient {
  revision: string | undefined;
  instructions: string | undefined;
  list(): Promise<string[]>;
  call(name: string, input: object, meta?: object, signal?: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
}

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startedSandbox();
});
afterAll(() => sandbox?.close());

type Fetch = typeof fetch;
const endpoint = () => new URL('/mcp', sandbox.url);
const paramsOf = (name: string, input: object, meta?: object) => ({
  name,
  arguments: { ...input },
  ...(meta && { _meta: { ...meta } }),
});

/** Connects `@modelcontextprotocol/sdk` 1.x, which initializes a session of revision 2025-11-25. */
async function connectLegacy(fetchOne: Fetch = fetch): Promise<ToolClient> {
  const client = new LegacyClient({ name: 'a test', version: '1' });
  const transport = new LegacyTransport(endpoint(), { fetch: fetchOne });
  await client.connect(transport as Transport);
  return {
    revision: transport.protocolVersion,
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input, meta, signal) =>
      (await client.callTool(paramsOf(name, input, meta), undefined, { ...(signal && { signal }) })) as ToolResult,
    close: () => client.close(),
  };
}

/** Connects `@modelcontextprotocol/client` 2.x. */
async function connect(mode: 'legacy' | 'auto' | { pin: string }, fetchOne: Fetch = fetch): Promise<ToolClient> {
  const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(endpoint(), { fetch: fetchOne }));
  return {
    revision: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, input, meta, signal) => client.callTool(paramsOf(name, input, meta), { ...(signal && { signal }) }),
    close: () => client.close(),
  };
}

/** Signs the offer of a result. */
async function sign(result: ToolResult, key = sandbox.keyOf('demo')) {
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(key)));
  const offer = result.structuredContent as Parameters<typeof payer.createPaymentPayload>[0];
  return { 'x402/payment': await payer.createPaymentPayload(offer) };
}

/** The key of a new wallet with 1 USDC, for a free first check. */
async function newFundedKey(): Promise<`0x${string}`> {
  const key = generatePrivateKey();
  const transport = http(sandbox.sandbox.chains.base?.rpcUrl);
  const demo = createWalletClient({ account: privateKeyToAccount(sandbox.keyOf('demo')), chain: base, transport });
  const args = [privateKeyToAccount(key).address, 1_000_000n] as const;
  const hash = await demo.writeContract({ address: usdc, abi: erc20Abi, functionName: 'transfer', args });
  await mined(createPublicClient({ transport }), hash);
  return key;
}

function balance(key = sandbox.keyOf('demo')): Promise<bigint> {
  return createPublicClient({ transport: http(sandbox.sandbox.chains.base?.rpcUrl) }).readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [privateKeyToAccount(key).address],
  });
}

describe.each([
  { label: 'sdk 1.x', revision: '2025-11-25', open: connectLegacy, size: 1 },
  {
    label: 'client 2.x without options',
    revision: '2025-11-25',
    open: (f?: Fetch) => connect('legacy', f),
    size: 2,
  },
  {
    label: 'client 2.x with auto',
    revision: '2026-07-28',
    open: (f?: Fetch) => connect('auto', f),
    size: 3,
  },
])('$label on $revision', ({ revision, open, size }) => {
  const quoteInput = { tokenIn: weth, tokenOut: usdc, sizeIn: `${size}` };

  test('default: lists the tools in this revision', async () => {
    const client = await open();
    expect(client.revision).toBe(revision);
    expect(client.instructions).toContain('x402/payment');
    expect(await client.list()).toEqual(['quote', 'pretrade_check', 'build_transaction', 'health']);
    expect((await client.call('health', {})).structuredContent).toMatchObject({ status: 'ok' });
    await client.close();
  });

  test('default: buys a quote for its price, and replays it for the same payment', async () => {
    const client = await open();
    const before = await balance();
    const unpaid = await client.call('quote', quoteInput);
    expect(unpaid).toMatchObject({ isError: true, structuredContent: { code: 'PAYMENT_REQUIRED', x402Version: 2 } });
    const payment = await sign(unpaid);
    const bought = await client.call('quote', quoteInput, payment);
    expect(bought.structuredContent).toMatchObject({ chain: 'base', amountIn: `${size}000000000000000000` });
    expect(bought._meta?.['x402/payment-response']).toMatchObject({ success: true, network: 'eip155:8453' });
    expect(before - (await balance())).toBe(price);

    expect((await client.call('quote', quoteInput, payment)).content).toEqual(bought.content);
    expect(before - (await balance())).toBe(price);
    await client.close();
  });

  test('default: the first check of a wallet is free', async () => {
    const client = await open();
    const key = await newFundedKey();
    const unpaid = await client.call('pretrade_check', { token: weth });
    expect(unpaid.structuredContent).toMatchObject({ firstCall: 'free' });
    const check = await client.call('pretrade_check', { token: weth }, await sign(unpaid, key));
    expect(check.structuredContent).toMatchObject({ verdict: 'clear' });
    expect(check._meta?.['x402/payment-response']).toMatchObject({ extra: { freeTrial: true } });
    expect(await balance(key)).toBe(1_000_000n);
    await client.close();
  });

  test('behavior: a retry with the same payment returns a lost answer, charged once', async () => {
    const requested = { ...quoteInput, sizeIn: `1${size}` };
    const before = await balance();
    let isLost = false;
    const losingFetch: Fetch = async (...request) => {
      const response = await fetch(...request);
      if (!isLost) return response;
      await response.arrayBuffer();
      throw new TypeError('The answer was lost.');
    };
    const clientThatLoses = await open(losingFetch);
    const payment = await sign(await clientThatLoses.call('quote', requested));
    isLost = true;
    await expect(clientThatLoses.call('quote', requested, payment)).rejects.toThrow();
    expect(before - (await balance())).toBe(price);

    const client = await open();
    const fetched = await client.call('quote', requested, payment);
    expect(fetched.structuredContent).toMatchObject({ amountIn: `1${size}000000000000000000` });
    expect(before - (await balance())).toBe(price);
    await client.close();
  });

  test('behavior: a retry with the same payment returns the answer of an aborted call, charged once', async () => {
    const requested = { ...quoteInput, sizeIn: `2${size}` };
    const before = await balance();
    const client = await open();
    const payment = await sign(await client.call('quote', requested));
    await expect(client.call('quote', requested, payment, AbortSignal.timeout(20))).rejects.toThrow();
    const fetched = await client.call('quote', requested, payment);
    expect(fetched.structuredContent).toMatchObject({ amountIn: `2${size}000000000000000000` });
    expect(await client.call('quote', requested, payment)).toEqual(fetched);
    expect(before - (await balance())).toBe(price);
    await client.close();
  });
});

test('default: `truefill mcp` serves revision 2026-07-28 over stdio and pays from the wallet up to the spend limit', async () => {
  const args = ['--import', 'tsx', 'client/cli/main.ts', 'mcp', '--sandbox', '--url', sandbox.url, '--max-usd', '0.03'];
  const stdio = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await stdio.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, stderr: 'pipe' }));
  expect((await stdio.listTools()).tools.map(({ name }) => name)).toEqual([
    'quote',
    'pretrade_check',
    'build_transaction',
    'health',
  ]);

  const before = await balance();
  const bought = await stdio.callTool(paramsOf('quote', { tokenIn: weth, tokenOut: usdc, sizeIn: '41' }));
  expect(bought.structuredContent).toMatchObject({ chain: 'base', tokenIn: weth });
  expect(before - (await balance())).toBe(price);
  const over = await stdio.callTool(paramsOf('quote', { tokenIn: weth, tokenOut: usdc, sizeIn: '42' }));
  expect(over.isError).toBe(true);
  expect(JSON.stringify(over.content)).toContain('SpendLimitError');
  expect(before - (await balance())).toBe(price);
  await stdio.close();
});

test('behavior: a payment of one revision gets its stored answer in the other revision and over REST', async () => {
  const quoteInput = { tokenIn: weth, tokenOut: usdc, sizeIn: '31' };
  const [older, newer] = [await connectLegacy(), await connect({ pin: '2026-07-28' })];
  const before = await balance();
  const payment = await sign(await newer.call('quote', quoteInput));
  const bought = await newer.call('quote', quoteInput, payment);
  expect((await older.call('quote', quoteInput, payment)).structuredContent).toEqual(bought.structuredContent);
  const rest = await fetch(`${sandbox.url}/v1/quote`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'payment-signature': Buffer.from(JSON.stringify(payment['x402/payment'])).toString('base64'),
    },
    body: JSON.stringify(quoteInput),
  });
  expect(rest.headers.get('idempotent-replayed')).toBe('true');
  expect(await rest.json()).toEqual(bought.structuredContent);
  expect(before - (await balance())).toBe(price);
  await Promise.all([older.close(), newer.close()]);
});

test('default: both revisions list the same tools with the same descriptions, prices and schemas', async () => {
  const older = new LegacyClient({ name: 'a test', version: '1' });
  await older.connect(new LegacyTransport(endpoint()) as Transport);
  const newer = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await newer.connect(new StreamableHTTPClientTransport(endpoint()));
  const { tools } = await newer.listTools();
  expect(tools).toEqual((await older.listTools()).tools);
  for (const [at, { priceUsd }] of catalogue.entries()) expect(tools[at]?.description).toContain(`${priceUsd} USD`);
  await Promise.all([older.close(), newer.close()]);
});
