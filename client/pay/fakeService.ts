import { privateKeyToAccount } from 'viem/accounts';
import type { PendingCall } from '../errors.ts';
import { openSession, type PaymentOptions } from './paymentOptions.ts';
import type { PaymentSession, Progress } from './paymentSession.ts';

// A service behind a fake `fetch`, for the tests of this folder.

export const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);

export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

export const [base, polygon, arbitrum, optimism, avalanche] = [
  'eip155:8453',
  'eip155:137',
  'eip155:42161',
  'eip155:1',
  'eip155:43114',
] as const;

const usdc: Record<string, string> = {
  [base]: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  [polygon]: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  [arbitrum]: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  [optimism]: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  [avalanche]: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
};

export const offerOf = (networks: readonly string[], more: object = {}) => ({
  x402Version: 2,
  resource: { url: 'http://elsewhere.test/' },
  accepts: networks.map((network) => ({
    scheme: 'exact',
    network,
    amount: '20000',
    asset: usdc[network],
    payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    maxTimeoutSeconds: 120,
    extra: { name: 'USD Coin', version: '2' },
  })),
  ...more,
});

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent as it is. */
  body?: unknown;
}

export const offered = (networks: readonly string[], body: object = {}): Reply => ({
  status: 402,
  headers: { 'payment-required': encode(offerOf(networks)) },
  body: { code: 'PAYMENT_REQUIRED', detail: 'Pay.', ...body },
});

export const refused = (status: number, charged?: boolean | null, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'retry-after': '0', ...headers },
  body: { code: 'CODE', detail: 'Detail.', ...(charged !== undefined && { charged }) },
});

export const answered = (receipt: object = {}): Reply => ({
  status: 200,
  headers: {
    'payment-response': encode({ success: true, transaction: '0xaa', network: base, payer: '0xbb', ...receipt }),
  },
  body: { amountOut: '7' },
});

const networkOf = (signature: string): string =>
  JSON.parse(Buffer.from(signature, 'base64').toString()).accepted.network;

interface Recorded {
  session: PaymentSession;
  /** The networks of the payments, in the order of the requests; undefined for a request without one. */
  requests: (string | undefined)[];
  urls: string[];
  signed: PendingCall[];
  finished: PendingCall[];
  progress: Progress[];
}

/** A session whose service returns `reply`, or whose connection breaks if that is undefined. */
export function sessionWith(
  reply: (network: string | undefined, number: number) => Reply | undefined,
  options: Partial<PaymentOptions> = {},
): Recorded {
  const recorded = { requests: [], urls: [], signed: [], finished: [], progress: [] } as Omit<Recorded, 'session'>;
  const session = openSession({
    url: 'http://service.test/',
    wallet: account,
    retry: { attempts: 3, attemptMs: 5_000, longestWaitMs: 5 },
    onSigned: (pending) => void recorded.signed.push(pending),
    onFinished: (pending) => void recorded.finished.push(pending),
    onProgress: (at) => recorded.progress.push(at),
    fetch: async (url, init) => {
      const signature = new Headers(init?.headers).get('payment-signature');
      const network = signature === null ? undefined : networkOf(signature);
      recorded.urls.push(String(url));
      recorded.requests.push(network);
      const found = reply(network, recorded.requests.length);
      if (!found) throw new TypeError('fetch failed');
      const { status, headers = {}, body = {} } = found;
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
    },
    ...options,
  });
  return { session, ...recorded };
}
