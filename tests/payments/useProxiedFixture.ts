import { type Hex, type PrivateKeyAccount, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision, PaymentService } from '../../server/payments/index.ts';
import { answerTo, attemptOf, type OpenOptions, openPaymentFixture, type PaymentFixture } from './paymentFixture.ts';

export const isBroadcast = ({ method }: { method: string }) => method.startsWith('eth_sendRawTransaction');

/** Completes a decision that serves: `served`, or the code of its refusal. */
export async function codeOf(decision: PaymentDecision): Promise<string> {
  if (decision.kind !== 'serve') return decision.kind === 'refuse' ? decision.code : decision.kind;
  await decision.complete(answerTo('x'));
  return 'served';
}

export const serveAll = (decisions: readonly PaymentDecision[]): Promise<string[]> =>
  Promise.all(decisions.map(codeOf));

/** A payment fixture whose node is behind a proxy. Faults and delays end with each test. */
export function useProxiedFixture() {
  let fixture: PaymentFixture;
  let proxy: RpcProxy;
  beforeAll(async () => {
    fixture = await openPaymentFixture();
    proxy = await startRpcProxy(fixture.chain.rpcUrl);
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
    facilitator: () => ({ address: fixture.walletOf('facilitator').address }),
    /** The distinct transactions that services broadcast. */
    broadcasts() {
      const raws = proxy.requests.flatMap(({ calls }) =>
        calls.filter(isBroadcast).map(({ params }) => params[0] as Hex),
      );
      return [...new Set(raws)].map((raw) => parseTransaction(raw));
    },
    /** A patient service behind the proxy. */
    openPatient: (options: OpenOptions = {}) =>
      fixture.openPaymentService({
        ...options,
        rpcUrl: proxy.url,
        change: (config) => ({
          ...config,
          timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 30_000 },
        }),
      }),
    /** One signed payment for each amount, of a new wallet that holds it. */
    async newPayments(paymentService: PaymentService, units: readonly bigint[]) {
      const payers: PrivateKeyAccount[] = [];
      for (const amount of units) payers.push(await fixture.newPayer(amount));
      return Promise.all(
        payers.map(async (payer) => ({
          payer,
          attempt: attemptOf(await fixture.sign(paymentService, payer), payer.address),
        })),
      );
    },
  };
}
