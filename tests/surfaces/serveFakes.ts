import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { SandboxBody } from '../../router/index.ts';
import { type AppDeps, createApp } from '../../server/app.ts';
import { createAddressLimit } from '../../server/http/limits/addressLimit.ts';
import { createPayerLimit } from '../../server/http/limits/limitPayer.ts';
import { createRateWindow } from '../../server/http/limits/rateWindow.ts';
import { createSignedLimit } from '../../server/http/limits/signedLimit.ts';
import { openServer } from '../../server/http/openServer.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import { createWorkInProgress } from '../../server/workInProgress.ts';
import {
  type FakeEngine,
  type FakePaymentService,
  type FakePretrade,
  fakeEngine,
  fakePaymentService,
  fakePretrade,
} from './fakePorts.ts';

export interface Served {
  url: string;
  port: number;
  engine: FakeEngine;
  pretrade: FakePretrade;
  paymentService: FakePaymentService;
  logs: string[];
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
  /** Starts draining, as after SIGTERM. */
  drain(): Promise<void>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

interface LimitOptions {
  perMinute?: number;
  perWallet?: number;
  /** The real service, in place of the fake one. Receives the wallet limit. */
  openPayments?: (limitPayer: (payer: string) => number | undefined) => Promise<PaymentService>;
}

async function openLimits(
  { perMinute: perAddress = 100_000, perWallet = 100_000, openPayments }: LimitOptions,
  fake: PaymentService,
  now: () => number,
) {
  const window = createRateWindow({ now });
  const payments = (await openPayments?.(createPayerLimit(perWallet, window, now))) ?? fake;
  const limitAddress = createAddressLimit(perAddress, window, now);
  const { readSigner } = payments;
  const limitSigned = createSignedLimit({ perAddress, perWallet, window, limitAddress, readSigner, now });
  return { payments, limits: { limitAddress, limitSigned } };
}

/** Serves the real app on a free TCP port with a fake engine, pretrade check and payment service. */
export async function serveFakes(
  options: LimitOptions & {
    trustedProxies?: number;
    sandbox?: SandboxBody;
    now?: () => number;
    baseUrl?: string;
    isStoreAvailable?: () => boolean;
    onToolCalled?: AppDeps['onToolCalled'];
    contactEmail?: string;
    clockSkew?: { serviceTime: string; chainTime: string };
  } = {},
): Promise<Served> {
  const engine = fakeEngine();
  const pretrade = fakePretrade();
  const paymentService = fakePaymentService();
  const logs: string[] = [];
  const work = createWorkInProgress();
  const now = options.now ?? Date.now;
  const { payments, limits } = await openLimits(options, paymentService, now);
  const deps: AppDeps = {
    engine,
    pretrade,
    paymentService: payments,
    work,
    storeProbe: {
      check: async () => options.isStoreAvailable?.() ?? true,
      get isAvailable() {
        return options.isStoreAvailable?.() ?? true;
      },
    },
    clockSkew: () => options.clockSkew,
    poolIndexes: () => ({}),
    startedAt: 1_795_254_662_000,
    logger: pino({ level: 'info' }, { write: (line: string) => void logs.push(line) }),
    mode: options.sandbox ? 'sandbox' : 'live',
    baseUrl: options.baseUrl ?? 'http://truefill.test',
    paymentNetworks: ['eip155:8453'],
    freeTrialGroups: ['pretrade'],
    trustedProxies: options.trustedProxies ?? 0,
    ...limits,
    ...(options.sandbox && { sandbox: options.sandbox }),
    ...(options.onToolCalled && { onToolCalled: options.onToolCalled }),
    ...(options.contactEmail && { contactEmail: options.contactEmail }),
  };
  const server = openServer(createApp(deps));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    engine,
    pretrade,
    paymentService,
    logs,
    idle: () => work.settled(),
    drain: () => work.drain(),
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A valid body of POST /v1/quote. */
export const quoteInput = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1.5',
} as const;

/** A PAYMENT-SIGNATURE header that differs with each call. */
export function payment(): { 'payment-signature': string } {
  return { 'payment-signature': Buffer.from(`{"n":"${crypto.randomUUID()}"}`).toString('base64') };
}
