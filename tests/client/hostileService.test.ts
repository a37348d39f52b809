import { generateKeyPairSigner } from '@solana/kit';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  NoPaymentOptionError,
  type PendingCall,
  SpendLimitError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../../client/index.ts';
import { startMintNode } from '../support/startMintNode.ts';
import {
  encode,
  offer,
  paid,
  readPayment,
  type ScriptedService,
  type Step,
  startRespondingService,
} from './scriptedService.ts';

// A service that collects payments and denies each charge. Its own record shows what it could take.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;
const blockhash = 'EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k';
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const feePayer = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const usdc: Record<string, string> = {
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:137': '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  'eip155:42161': '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  [solana]: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
};

/** Offers every network, with a different order, price and validity each time. */
function hostileOffer(turn: number, maxTimeoutSeconds = [60, 180, 300][turn % 3]): Step {
  const networks = Object.keys(usdc);
  const accepts = networks.map((_, index) => {
    const network = networks[(index + turn) % networks.length] as string;
    const [terms] = offer(['20000', '50000', '10000'][turn % 3], network).accepts;
    const onSolana = { payTo: feePayer, extra: { feePayer, recentBlockhash: blockhash, paymentFlow: 'upfront' } };
    return { ...terms, asset: usdc[network], maxTimeoutSeconds, ...(network === solana && onSolana) };
  });
  return {
    status: 402,
    headers: { 'payment-required': encode({ ...offer(), resource: { url: 'http://127.0.0.1:1/steal' }, accepts }) },
    body: { code: 'PAYMENT_REQUIRED', detail: 'Pay. The first call is free.', firstCall: 'free' },
  };
}

const refusal = (status: number, charged: boolean | null | undefined, headers: Record<string, string> = {}): Step => ({
  status,
  headers: { 'retry-after': '0', ...headers },
  body: { code: 'PAYMENT_REQUIRED', detail: 'Nothing was charged.', charged },
});
const free = paid({ amountOut: '7' }, { amount: '0', transaction: '', extra: { freeTrial: true } });

/** What the service replies to a payment. */
const replies: Record<string, (turn: number) => Step> = {
  'a 402 that charged nothing': () => refusal(402, false),
  'a 402 without a word on the charge': () => refusal(402, undefined),
  'a free call': () => free,
  'a 400 that charged nothing': () => refusal(400, false),
  'a 503 that charged nothing, on every network': () => refusal(503, false),
  'a 503 with an unknown outcome': () => refusal(503, null),
  'a 429 that charged nothing': () => refusal(429, false),
  'a redirect': () => ({ status: 307, headers: { location: 'http://127.0.0.1:1/steal' } }),
  'no answer': () => 'hang up',
  'each of these in turn': (turn) =>
    [refusal(402, false), free, refusal(503, false), refusal(503, null), refusal(409, false), 'hang up' as const][
      turn % 6
    ] as Step,
};

let service: ScriptedService;
let node: { url: string; close(): void } | undefined;
afterEach(async () => {
  await service?.close();
  node?.close();
  node = undefined;
});

/** The service's record: the most that it could take at any time, in base units. */
async function collect(reply: (turn: number) => Step) {
  const held = new Map<string, { units: number; validUntilMs: number }>();
  const networks = new Set<string>();
  let most = 0;
  let turn = 0;
  service = await startRespondingService(({ signature }) => {
    turn += 1;
    if (signature === undefined) return hostileOffer(turn);
    const { key, ...payment } = readPayment(signature);
    held.set(key, payment);
    networks.add(payment.network);
    const live = [...held.values()].filter(({ validUntilMs }) => validUntilMs > Date.now());
    most = Math.max(
      most,
      live.reduce((sum, { units }) => sum + units, 0),
    );
    return reply(turn);
  });
  return { most: () => most, payments: () => held.size, networks };
}

test.each(Object.entries(replies))(
  'security: a service that replies %s holds at most the limit in live payments',
  async (_case, reply) => {
    node = await startMintNode();
    const record = await collect(reply);
    const kept: PendingCall[] = [];
    const truefill = createTruefillClient({
      url: service.url,
      wallet: [account, await generateKeyPairSigner()],
      solanaRpcUrl: node.url,
      spendLimit: { totalUsd: 0.5 },
      retry: { attempts: 2, attemptMs: 5_000, longestWaitMs: 1 },
      onSigned: (pending) => void kept.push(pending),
    });
    const call = () => truefill.quote(request).catch((error: unknown) => error);
    for (let tries = 0; tries < 100; tries += 1) await call();
    for (const pending of kept.slice(0, 5)) await truefill.resume(pending).catch(() => undefined);
    const errors = await Promise.all(Array.from({ length: 100 }, call));
    expect(errors.some((error) => error instanceof SpendLimitError)).toBe(true);
    expect(record.payments()).toBeGreaterThan(5);
    expect(record.most()).toBeLessThanOrEqual(500_000);
    expect(truefill.spentUsd).toBeGreaterThanOrEqual(record.most() / 1_000_000);
    expect(truefill.spentUsd).toBeLessThanOrEqual(0.5);
    expect(record.networks).toContain(solana);
  },
);

test('security: concurrent calls alone stay within the limit', async () => {
  const record = await collect(() => refusal(402, false));
  const truefill = createTruefillClient({ url: service.url, wallet: account, spendLimit: { totalUsd: 0.1 } });
  await Promise.all(Array.from({ length: 200 }, () => truefill.quote(request).catch(() => undefined)));
  expect(record.most()).toBeGreaterThan(50_000);
  expect(record.most()).toBeLessThanOrEqual(100_000);
});

test('security: two clients of one wallet have a limit each, as the README states', async () => {
  const record = await collect(() => refusal(402, false));
  const options = { url: service.url, wallet: account, spendLimit: { totalUsd: 0.1 } };
  const clients = [createTruefillClient(options), createTruefillClient(options)];
  const calls = clients.flatMap((truefill) => Array.from({ length: 20 }, () => truefill.quote(request)));
  await Promise.allSettled(calls);
  expect(record.most()).toBeGreaterThan(100_000);
  expect(record.most()).toBeLessThanOrEqual(200_000);
});

test('security: one call signs at most perCallUsd, whatever the service replies', async () => {
  const record = await collect(() => refusal(503, false));
  const retry = { attempts: 3, attemptMs: 5_000, longestWaitMs: 1 };
  const truefill = createTruefillClient({ url: service.url, wallet: account, spendLimit: { perCallUsd: 0.05 }, retry });
  await truefill.quote(request).catch(() => undefined);
  expect(record.most()).toBeLessThanOrEqual(50_000);
});

test.each([301, 315_360_000, '60', -1, 0, 1.5, null])(
  'security: signs nothing for maxTimeoutSeconds %j',
  async (maxTimeoutSeconds) => {
    service = await startRespondingService(({ signature }) =>
      signature === undefined ? hostileOffer(0, maxTimeoutSeconds as number) : paid({}),
    );
    const truefill = createTruefillClient({ url: service.url, wallet: account });
    const error = await truefill.quote(request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NoPaymentOptionError);
    expect(String(error)).toContain('Nothing was signed.');
    expect(service.signatures).toEqual([undefined]);
    expect(truefill.spentUsd).toBe(0);
  },
);

test('default: maxValiditySeconds permits a longer validity', async () => {
  service = await startRespondingService(({ signature }) =>
    signature === undefined ? hostileOffer(0, 900) : paid({ amountOut: '7' }),
  );
  const truefill = createTruefillClient({ url: service.url, wallet: account, maxValiditySeconds: 900 });
  expect(await truefill.quote(request)).toEqual({ amountOut: '7' });
  for (const maxValiditySeconds of [0, -1, Number.NaN])
    expect(() => createTruefillClient({ url: service.url, wallet: account, maxValiditySeconds })).toThrow(RangeError);
});

test.each([301, 302, 303, 307, 308])(
  'security: a redirect with status %s is not followed to another host',
  async (status) => {
    let stolen = 0;
    const other = await startRespondingService(() => {
      stolen += 1;
      return hostileOffer(1);
    });
    const { host } = new URL(other.url);
    const redirect: Step = { status, headers: { location: `${other.url}/v1/quote` } };
    try {
      service = await startRespondingService(() => redirect);
      const truefill = createTruefillClient({ url: service.url, wallet: account });
      const error = await truefill.quote(request).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(String(error)).toContain(`redirects to ${host}. Nothing was signed.`);
      expect(service.signatures).toEqual([undefined]);
      await service.close();

      service = await startRespondingService(({ signature }) => (signature === undefined ? hostileOffer(1) : redirect));
      const paying = createTruefillClient({ url: service.url, wallet: account });
      const pending = await paying.quote(request).catch((reason: unknown) => reason);
      if (!(pending instanceof AnswerPendingError)) throw pending;
      expect(String(pending.cause)).toContain(`redirects to ${host}.`);
      expect(String(pending.cause)).not.toContain('Nothing was signed');
      expect(service.signatures).toHaveLength(2);
      expect(stolen).toBe(0);
    } finally {
      await other.close();
    }
  },
);

test('error: a 429 that charged nothing is no pending payment', async () => {
  service = await startRespondingService(({ signature }) =>
    signature === undefined ? hostileOffer(0) : refusal(429, false),
  );
  const retry = { attempts: 2, attemptMs: 5_000, longestWaitMs: 1 };
  const truefill = createTruefillClient({ url: service.url, wallet: account, retry });
  const error = await truefill.quote(request).catch((reason: unknown) => reason);
  if (!(error instanceof UnavailableError)) throw error;
  expect(error.pending?.paymentSignature).toBe(service.signatures.at(-1));
});
