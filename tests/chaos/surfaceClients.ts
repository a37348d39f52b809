import { setTimeout as sleep } from 'node:timers/promises';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { PaymentRequired } from '@x402/core/types';
import type { AppRouter } from '../../router/index.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario } from './clientScenario.ts';
import { recordSend } from './payments.ts';
import { type RequestPlan, retryPolicy } from './requests.ts';
import { callOverMcp, readResponse, type SendMethod, sendOnce, sendOverMcp, sendWithRetries, toolOf } from './send.ts';
import type { WalletPool } from './wallets.ts';

/** Sends through the published tRPC client. */
const sendOverTrpc: SendMethod = async (url, payment, attemptMs, body = payment.body) => {
  const request = recordSend(payment, body);
  const client = createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${url}/trpc`,
        headers: { 'payment-signature': payment.header },
        async fetch(input, init) {
          const response = await fetch(input as string, {
            ...(init as RequestInit),
            signal: AbortSignal.timeout(attemptMs),
          });
          payment.responses.push(await readResponse(response.clone(), payment.path, request));
          return response;
        },
      }),
    ],
  });
  try {
    const input = JSON.parse(body);
    await (payment.path === '/trpc/quote' ? client.quote.mutate(input) : client.pretradeCheck.mutate(input));
    return 200;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    return error.data?.httpStatus;
  }
};

/** Clients of MCP and tRPC, and clients that retry on another surface. */
export function surfaceClients(
  { balancer, replicas }: ChaosEnvironment,
  wallets: WalletPool,
  { reusedWallets, payChain, quoteBody, checkBody, signQuote, signAny }: RequestPlan,
): Record<string, ClientScenario> {
  return {
    /** Pays the offer in the tool's result. */
    async buysOverMcp(random) {
      const [path, body] = random.chance(0.5)
        ? ['/v1/quote', quoteBody(random)]
        : ['/v1/pretrade/check', checkBody(random)];
      const request = await callOverMcp(balancer.url, { name: toolOf(path), arguments: { ...body } }, 20_000);
      const offer = request?.structuredContent as PaymentRequired | undefined;
      // Without an offer, because the call failed or returned 503, the client pays the REST offer.
      const more = offer?.accepts ? { offer } : {};
      const payment = await wallets.sign(random.pick(reusedWallets), payChain(random), path, body, more);
      await sendWithRetries(balancer.url, payment, retryPolicy, sendOverMcp);
    },
    async retriesOnOtherSurface(random) {
      const payment = await signAny(random);
      const [first, then] = random.chance(0.5) ? [sendOnce, sendOverMcp] : [sendOverMcp, sendOnce];
      await first(random.pick(replicas).url, payment, random.between(20, 1_500));
      await sleep(random.between(0, 3_000));
      await sendWithRetries(random.pick(replicas).url, payment, retryPolicy, then);
    },
    async sendsConcurrentlyOnTwoSurfaces(random) {
      const payment = await signAny(random);
      const [one, other] = [random.pick(replicas), random.pick(replicas)];
      await Promise.all([
        sendWithRetries(one.url, payment, retryPolicy, sendOverMcp),
        sendWithRetries(other.url, payment, retryPolicy),
      ]);
    },
    async buysOverTrpc(random) {
      const [path, body] = random.chance(0.5)
        ? ['/trpc/quote', quoteBody(random)]
        : ['/trpc/pretradeCheck', checkBody(random)];
      const payment = await wallets.sign(random.pick(reusedWallets), payChain(random), path, body);
      await sendWithRetries(balancer.url, payment, retryPolicy, sendOverTrpc);
    },
    async disconnectsFromMcp(random) {
      const payment = await signQuote(random);
      await sendOverMcp(balancer.url, payment, random.between(20, 1_500));
      if (random.chance(0.7)) await sendWithRetries(balancer.url, payment, retryPolicy, sendOverMcp);
    },
  };
}
