import { type Hex, type PrivateKeyAccount, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision, PaymentService } from '../../server/payments/index.ts';
import { answerTo, attemptOf, type OpenOptions, openPaymentFixture } from './paymentFixture.ts';
import { openSolanaFixture } from './solanaFixture.ts';

export const isBroadcast = ({ method }: { method: string }) => method.startsWith('eth_sendRawTransaction');

/** Completes a decision that serves. Returns `served`, or the code of the refusal. */
export async function outcomeOf(decision: PaymentDecision): Promise<string> {
  if (decision.kind !== 'serve') return decision.kind === 'refuse' ? decision.code : decision.kind;
  await decision.complete(answerTo('x'));
  return 'served';
}

export const serveAll = (decisions: readonly PaymentDecision[]): Promise<string[]> =>
  Promise.all(decisions.map(outcomeOf));

/** A fixture of a chain with a proxy in front of its node. Faults and delays are reset after each test. */
export function useProxied<F extends { close(): Promise<void> }>(
  open: () => Promise<F>,
  rpcUrlOf: (fixture: F) => string,
) {
  let fixture: F;
  let proxy: RpcProxy;
  beforeAll(async () => {
    fixture = await open();
    proxy = await startRpcProxy(rpcUrlOf(fixture));
  });
  afterEach(() => {
    proxy.fault = () => undefined;
    proxy.delayMs = 0;
  });
  afterAll(async () => {
    await proxy?.close();
    await fixture?.close();
  });
  return {
    get fixture() {
      return fixture;
    },
    get proxy() {
      return proxy;
    },
  };
}

/** `useProxied` with the local Solana. */
export const useProxiedSolana = () => useProxied(openSolanaFixture, ({ solana }) => solana.rpcUrl);

/** `useProxied` with a payment fixture, and helpers for tests of broadcasts. */
export function useProxiedFixture() {
  const setup = useProxied(openPaymentFixture, ({ chain }) => chain.rpcUrl);
  const rawBroadcasts = () => [
    ...new Set(
      setup.proxy.requests.flatMap(({ calls }) => calls.filter(isBroadcast).map(({ params }) => params[0] as Hex)),
    ),
  ];
  return {
    get fixture() {
      return setup.fixture;
    },
    get proxy() {
      return setup.proxy;
    },
    facilitator: () => ({ address: setup.fixture.walletOf('facilitator').address }),
    /** The distinct transactions that were broadcast through the proxy, as signed bytes. */
    rawBroadcasts,
    broadcasts: () => rawBroadcasts().map((raw) => parseTransaction(raw)),
    /** Opens a payment service behind the proxy, with long deadlines. */
    openWithLongDeadlines: (options: OpenOptions = {}) =>
      setup.fixture.openPaymentService({
        ...options,
        rpcUrl: setup.proxy.url,
        change: (unchanged) => {
          const config = options.change?.(unchanged) ?? unchanged;
          return { ...config, timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 30_000 } };
        },
      }),
    /** Signs one payment for each amount, each with a new wallet that holds this amount of USDC in raw units. */
    async newPayments(paymentService: PaymentService, units: readonly bigint[]) {
      const payers: PrivateKeyAccount[] = [];
      for (const amount of units) payers.push(await setup.fixture.newPayer(amount));
      return Promise.all(
        payers.map(async (payer) => ({
          payer,
          attempt: attemptOf(await setup.fixture.sign(paymentService, payer), payer.address),
        })),
      );
    },
  };
}
