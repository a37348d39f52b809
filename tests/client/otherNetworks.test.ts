import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import {
  AnswerPendingError,
  createTruefillClient,
  type PendingCall,
  type Progress,
  type TruefillClientOptions,
  UnavailableError,
} from '../../client/index.ts';
import {
  encode,
  offer,
  paid,
  readPayment,
  type ScriptedService,
  type Step,
  startRespondingService,
} from './scriptedService.ts';

// A service whose networks are withdrawn: the client pays on another one.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;
const [base, polygon, arbitrum] = ['eip155:8453', 'eip155:137', 'eip155:42161'] as const;
const usdc: Record<string, string> = {
  [base]: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  [polygon]: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  [arbitrum]: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
};

const offerOn = (networks: readonly string[]): Step => ({
  status: 402,
  headers: {
    'payment-required': encode({
      ...offer(),
      accepts: networks.map((network) => ({ ...offer('20000', network).accepts[0], asset: usdc[network] })),
    }),
  },
  body: { code: 'PAYMENT_REQUIRED', detail: 'Pay.' },
});
const uncharged: Step = {
  status: 503,
  headers: { 'retry-after': '0' },
  body: { code: 'UPSTREAM_UNAVAILABLE', detail: 'It cannot be settled. Nothing was charged.', charged: false },
};
const unavailable: Step = { ...uncharged, body: { code: 'UPSTREAM_UNAVAILABLE', detail: 'Down.', charged: null } };

let server: ScriptedService;
afterEach(() => server?.close());

interface Networks {
  /** The offered networks, after a number of payments. */
  offered: (payments: number) => readonly string[];
  respond: (network: string) => Step;
}

async function buyFrom({ offered, respond }: Networks, options: Partial<TruefillClientOptions> = {}) {
  const payments: string[] = [];
  server = await startRespondingService(({ signature }) => {
    if (signature === undefined) {
      const networks = offered(payments.length);
      return networks.length > 0 ? offerOn(networks) : unavailable;
    }
    payments.push(readPayment(signature).network);
    return respond(readPayment(signature).network);
  });
  const progress: Progress[] = [];
  const signed: PendingCall[] = [];
  const finished: PendingCall[] = [];
  const truefill = createTruefillClient({
    url: server.url,
    wallet: account,
    retry: { attempts: 3, attemptMs: 5_000, longestWaitMs: 5 },
    onProgress: (at) => progress.push(at),
    onSigned: (pending) => void signed.push(pending),
    onFinished: (pending) => void finished.push(pending),
    ...options,
  });
  const result = await truefill.quote(request).catch((error: unknown) => error);
  return { result, payments, progress, signed, finished, truefill };
}

const withoutBase = (network: string): Step => (network === base ? uncharged : paid({ amountOut: '7' }, { network }));

test('behavior: pays on the first offered network when Base is not offered', async () => {
  const { result, payments, progress } = await buyFrom({ offered: () => [polygon], respond: withoutBase });
  expect(result).toEqual({ amountOut: '7' });
  expect(payments).toEqual([polygon]);
  expect(progress.map(({ stage }) => stage)).toEqual(['priced', 'settling']);
});

test.each([
  ['still offered', () => [base, polygon]],
  ['no longer offered', (payments: number) => (payments === 0 ? [base, polygon] : [polygon])],
])('behavior: pays at once on another network after an uncharged 503; the first is %s', async (_case, offered) => {
  const { result, payments, progress, signed, finished, truefill } = await buyFrom({ offered, respond: withoutBase });
  expect(result).toEqual({ amountOut: '7' });
  expect(payments).toEqual([base, polygon]);
  expect(progress).toEqual([
    { stage: 'priced', priceUsd: 0.02, network: base, firstCallFree: false },
    { stage: 'settling', network: base },
    { stage: 'priced', priceUsd: 0.02, network: polygon, firstCallFree: false },
    { stage: 'switching', from: base, network: polygon },
    { stage: 'settling', network: polygon },
  ]);
  // The payment that was replaced is finished only when its replacement is stored.
  expect(finished).toEqual(signed);
  // Both can still be charged.
  expect(truefill.spentUsd).toBe(0.04);
});

test('behavior: sends the same payment again while the service cannot answer at all, and signs no other', async () => {
  const { result, payments, signed } = await buyFrom({
    offered: (payments) => (payments === 0 ? [base, polygon] : []),
    respond: () => uncharged,
  });
  expect(result).toBeInstanceOf(UnavailableError);
  expect(payments).toEqual([base, base, base]);
  expect(signed).toHaveLength(1);
});

test('behavior: signs at most one payment on each network; then the last one is pending but not charged', async () => {
  const { result, payments, signed, truefill } = await buyFrom({
    offered: () => [base, polygon, arbitrum],
    respond: () => uncharged,
  });
  expect(payments).toEqual([base, polygon, arbitrum, arbitrum, arbitrum]);
  if (!(result instanceof UnavailableError)) throw result;
  expect(result.pending).toEqual(signed[2]);
  expect(truefill.spentUsd).toBe(0.06);
});

test.each([
  ['totalUsd', { totalUsd: 0.03 }],
  ['perCallUsd', { perCallUsd: 0.03 }],
])('error: stays on the network when a second payment would exceed %s', async (which, spendLimit) => {
  const { result, payments } = await buyFrom({ offered: () => [base, polygon], respond: withoutBase }, { spendLimit });
  expect(payments).toEqual([base, base, base]);
  if (!(result instanceof UnavailableError)) throw result;
  expect(result.message).toContain(`A payment on another network would exceed spendLimit.${which}`);
  expect(result.message).toContain('Nothing was charged.');
});

test('error: stays on the network of payOn', async () => {
  const options = { payOn: base } as const;
  const { payments } = await buyFrom({ offered: () => [base, polygon], respond: withoutBase }, options);
  expect(payments).toEqual([base, base, base]);
});

test('error: signs no other payment when the outcome of the first is not known', async () => {
  const { result, payments } = await buyFrom({ offered: () => [base, polygon], respond: () => unavailable });
  expect(payments).toEqual([base, base, base]);
  expect(result).toBeInstanceOf(AnswerPendingError);
});

test('error: a wallet that rejects the second signature is asked once; the first payment stays resumable', async () => {
  let asked = 0;
  const wallet = {
    address: account.address,
    signTypedData: (typed: Parameters<typeof account.signTypedData>[0]) => {
      asked += 1;
      if (asked > 1) throw new Error('User rejected the request.');
      return account.signTypedData(typed);
    },
  };
  const { result, payments } = await buyFrom({ offered: () => [base, polygon], respond: withoutBase }, { wallet });
  expect(asked).toBe(2);
  expect(payments).toEqual([base, base, base]);
  if (!(result instanceof UnavailableError)) throw result;
  expect(result.message).toContain('Signing for another network failed: User rejected the request.');
  expect(result.pending).toBeDefined();
});
