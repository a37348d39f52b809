/**
 * Serves one HTTP pipeline for `bench:http` in a separate process, without settlements and chain reads:
 * - `ours`: the service's app with an engine and a payment service that return constants;
 * - `prototype`: the published payment and OpenAPI middlewares with a gate that returns 402 or accepts the payment;
 * - `stock`: the published payment and OpenAPI middlewares with a facilitator that accepts everything.
 * All serve `POST /v1/quote` with the same answer.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { encodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import {
  type PaymentPayload,
  type PaymentRequirements,
  paymentMiddleware,
  paymentMiddlewareFromHTTPServer,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/express';
import express, { type Express, type RequestHandler } from 'express';
import pino from 'pino';
import { createOpenApiExpressMiddleware } from 'trpc-to-openapi';
import type { Engine, PretradeChecker, QuoteAnswer } from '../../engine/index.ts';
import { canonicalJson, catalogue, openApiRouter, type RouterContext } from '../../router/index.ts';
import { createApp } from '../../server/app.ts';
import { createAddressLimit } from '../../server/http/limits/addressLimit.ts';
import { createRateWindow } from '../../server/http/limits/rateWindow.ts';
import { createSignedLimit } from '../../server/http/limits/signedLimit.ts';
import { bazaarExtension } from '../../server/payments/bazaarExtension.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import { nativePricing } from '../../server/payments/networkConfigs.ts';
import { buildOffers } from '../../server/payments/offer.ts';
import { createWorkInProgress } from '../../server/workInProgress.ts';

const [item] = catalogue;
if (!item) throw new Error('The catalogue is empty.');
const { disclaimer: _, ...example } = item.exampleAnswer as unknown as QuoteAnswer & { disclaimer: string };
const answer = {
  ...example,
  amountIn: BigInt(example.amountIn),
  amountOut: BigInt(example.amountOut),
  blockNumber: BigInt(example.blockNumber),
} as QuoteAnswer;

const engine = {
  chains: ['base', 'polygon', 'arbitrum'],
  start: async () => undefined,
  chainState: () => ({ status: 'ok', blockNumber: answer.blockNumber }),
  nodeStates: () => [],
  reach: async () => undefined,
  readCode: async () => ({ hasCode: true, blockNumber: answer.blockNumber }),
  quote: async () => answer,
} as unknown as Engine;
const pretrade = { check: () => Promise.reject(new Error('The pipelines serve quotes only.')) } as PretradeChecker;

const payTo = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const chainIds = [8453, 137, 42161];
const paymentResponse = encodePaymentResponseHeader({
  success: true,
  transaction: `0x${'ab'.repeat(32)}`,
  network: 'eip155:8453',
  payer: payTo,
});

async function ours(): Promise<Express> {
  const offers = await buildOffers(
    [
      {
        paid: 'quote',
        priceUsd: '0.02',
        resource: { url: 'http://localhost/v1/quote', description: 'Quote', mimeType: 'application/json' },
        extensions: bazaarExtension(item as never),
      },
    ],
    chainIds.map((chainId) => ({
      network: `eip155:${chainId}` as const,
      chainId,
      rpcUrls: [],
      facilitatorKey: `0x${'5e'.repeat(32)}` as const,
      payTo,
      asset,
      domain: { name: 'USD Coin', version: '2' },
      pricing: nativePricing('base'),
      extra: {},
    })),
    180,
  );
  const offer = offers.get('quote');
  const paymentService = {
    challenge: (_paid, path) => offer?.challengeAt(path) ?? { header: '', summary: {} },
    walletReads: undefined,
    decide: async ({ paid, canonicalInput }) => ({
      kind: 'serve',
      ticket: { paid, canonicalInput },
      paymentResponse,
      complete: async (stored) => stored,
      fail: async () => undefined,
    }),
    readSigner: () => undefined,
    accepts: () => offer?.accepts ?? [],
    settlement: () => ({}),
    gasLeft: () => ({}),
    queues: () => ({}),
    close: async () => undefined,
  } as PaymentService;
  const window = createRateWindow({ now: Date.now });
  const limitAddress = createAddressLimit(1e9, window, Date.now);
  return createApp({
    engine,
    pretrade,
    paymentService,
    logger: pino({ level: 'silent' }),
    mode: 'live',
    baseUrl: 'http://localhost',
    paymentNetworks: chainIds.map((id) => `eip155:${id}`),
    freeTrialGroups: [],
    trustedProxies: 0,
    limitAddress,
    limitSigned: createSignedLimit({
      perAddress: 1e9,
      perWallet: 1e9,
      window,
      limitAddress,
      readSigner: () => undefined,
      now: Date.now,
    }),
    work: createWorkInProgress(),
    storeProbe: { isAvailable: true, check: async () => true },
    clockSkew: () => undefined,
    poolIndexes: () => ({}),
    startedAt: Date.now(),
  });
}

/** The procedure requires a ticket, so the baselines issue one for any input. */
function procedures(): RequestHandler {
  return createOpenApiExpressMiddleware({
    router: openApiRouter,
    createContext: async ({ req }): Promise<RouterContext> => ({
      engine,
      pretrade,
      ticket: { paid: 'quote', canonicalInput: canonicalJson(req.body) },
      query: item?.toQuery(req.body),
      requestId: 'r',
      baseUrl: '',
    }),
  });
}

/** Returns a constant 402, and accepts every payment that is base64 of JSON. */
class MinimalGate extends x402HTTPResourceServer {
  constructor(readonly header: string) {
    super(new x402ResourceServer(acceptingFacilitator), {});
  }
  override requiresPayment() {
    return true;
  }
  override async processHTTPRequest({ paymentHeader }: { paymentHeader?: string }) {
    if (paymentHeader === undefined) {
      const response = { status: 402, headers: { 'PAYMENT-REQUIRED': this.header }, body: { error: 'pay' } };
      return { type: 'payment-error' as const, response };
    }
    JSON.parse(Buffer.from(paymentHeader, 'base64').toString('utf8'));
    return {
      type: 'payment-verified' as const,
      paymentPayload: {} as PaymentPayload,
      paymentRequirements: {} as PaymentRequirements,
      cancellationDispatcher: { cancel: async () => undefined },
    };
  }
  override async processSettlement(_payment: PaymentPayload, requirements: PaymentRequirements) {
    const headers = { 'PAYMENT-RESPONSE': paymentResponse };
    return { success: true as const, transaction: '', network: 'eip155:8453' as const, requirements, headers };
  }
}

async function prototype(): Promise<Express> {
  const app = await ours();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}/v1/quote`, { method: 'POST' });
  server.close();
  const gate = new MinimalGate(headers.get('payment-required') ?? '');
  return express()
    .disable('x-powered-by')
    .use(express.json(), paymentMiddlewareFromHTTPServer(gate, undefined, undefined, false), procedures());
}

const acceptingFacilitator = {
  getSupported: async () => ({
    kinds: chainIds.map((id) => ({ x402Version: 2 as const, scheme: 'exact', network: `eip155:${id}` as const })),
    extensions: [],
    signers: {},
  }),
  verify: async () => ({ isValid: true, payer: payTo }),
  settle: async () => ({
    success: true,
    transaction: `0x${'ab'.repeat(32)}`,
    network: 'eip155:8453' as const,
    payer: payTo,
  }),
};

async function stock(): Promise<Express> {
  const server = new x402ResourceServer(acceptingFacilitator);
  for (const id of chainIds) server.register(`eip155:${id}`, new ExactEvmScheme());
  const routes = {
    'POST /v1/quote': {
      accepts: chainIds.map((id) => ({
        scheme: 'exact',
        network: `eip155:${id}` as const,
        payTo,
        price: { amount: '20000', asset, extra: { name: 'USD Coin', version: '2' } },
      })),
      description: 'Quote',
      mimeType: 'application/json',
      extensions: bazaarExtension(item as never),
    },
  };
  return express().disable('x-powered-by').use(express.json(), paymentMiddleware(routes, server), procedures());
}

const kinds: Record<string, () => Promise<Express>> = { ours, prototype, stock };
const create = kinds[process.argv[2] ?? ''];
if (!create) throw new Error(`Pass one of ${Object.keys(kinds).join(', ')}.`);
const server = (await create()).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`answers on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
