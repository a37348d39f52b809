import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox, SandboxChain } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { postJson, signOffer, usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

// End-to-end tests with the sandbox of `npm start`, the published x402 client and USDC balances.

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addSchema(JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8')), 'doc');
const check = ajv.compile({ $ref: 'doc#/components/schemas/PretradeCheck' });

let server: RunningServer;
let sandbox: Pick<Sandbox, 'wallets'> & { chains: Record<string, SandboxChain> };
beforeAll(async () => {
  server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '10000' }));
  sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as typeof sandbox;
});
afterAll(() => server?.close());

const chainOf = (name: string): SandboxChain => {
  const chain = sandbox.chains[name];
  if (!chain) throw new Error(`No chain ${name}.`);
  return chain;
};
const walletOf = (role: string) => findWallet(sandbox.wallets, role);
const payToBalance = (name: string) => usdcOf(chainOf(name), walletOf('payTo').address);

const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  postJson(server.url + path, body, headers);

async function buy(path: string, role: string, network: `eip155:${number}`, body: unknown) {
  const payment = await signOffer(server.url + path, walletOf(role), network);
  const response = await post(path, body, payment);
  const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
  // biome-ignore lint/suspicious/noExplicitAny: validated with the schema below
  return { response, receipt, payment, answer: (await response.json()) as any };
}

test('default: the first check of a wallet is free, the next ones cost 0.05 USD on every path and network', async () => {
  const token = chainOf('base').wrappedNative;
  const before = { base: await payToBalance('base'), polygon: await payToBalance('polygon') };

  const first = await buy('/v1/token-safety', 'demo', 'eip155:8453', { token });
  expect(first.response.status, JSON.stringify(first.answer)).toBe(200);
  expect(first.receipt).toMatchObject({ success: true, transaction: '', amount: '0', extra: { freeTrial: true } });
  expect(check(first.answer) ? [] : check.errors).toEqual([]);
  expect(first.answer).toMatchObject({ chain: 'base', token, sizeUSD: '1000', verdict: 'clear' });

  const replay = await post('/v1/rug-check', { token }, first.payment);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await replay.json()).toEqual(first.answer);

  const second = await buy('/v1/rug-check', 'demo', 'eip155:137', { token, sizeUSD: '50' });
  expect(second.response.status).toBe(200);
  expect(second.receipt.transaction).toMatch(/^0x/);
  const third = await buy('/trpc/pretradeCheck', 'demo', 'eip155:8453', { token });
  expect(third.receipt.transaction).toMatch(/^0x/);

  expect((await payToBalance('base')) - before.base).toBe(50_000n);
  expect((await payToBalance('polygon')) - before.polygon).toBe(50_000n);
});

test('behavior: a quote has no free call', async () => {
  const { usdc, wrappedNative } = chainOf('base');
  const { receipt } = await buy('/v1/quote', 'trader', 'eip155:8453', {
    tokenIn: wrappedNative,
    tokenOut: usdc,
    sizeIn: '1',
  });
  expect(receipt.transaction).toMatch(/^0x/);
});

test('default: reads holders and age from the local chain’s logs; market data are unavailable with a reason', async () => {
  const token = sandboxToken('OAK');
  const { answer } = await buy('/v1/pretrade/check', 'trader', 'eip155:8453', { token });
  expect(check(answer) ? [] : check.errors).toEqual([]);
  const { concentration, age } = answer.risk_profile;
  expect(concentration).toMatchObject({ source: expect.stringContaining('logs'), stale: false, ageSec: null });
  expect(concentration.holdersExact).toBeGreaterThan(1);
  expect(concentration.top1SharePct).toBeGreaterThan(0);
  expect(age.genesisBlock).toBeGreaterThanOrEqual(0);
  expect(answer.market.priceUsdSpot).toBeNull();
  expect(answer.sources['market.priceUsdSpot']).toMatch(/^unavailable/);
});

function sandboxToken(symbol: string): Address {
  const token = chainOf('base').tokens.find((entry) => entry.symbol === symbol);
  if (!token) throw new Error(`No ${symbol}.`);
  return token.address;
}
