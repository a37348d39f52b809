import { setTimeout as sleep } from 'node:timers/promises';
import { createTruefillClient, TruefillError } from '../../client/index.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario, TypedCalls } from './clientScenario.ts';
import { type RequestPlan, retryPolicy } from './requests.ts';
import { sendOnce, sendWithRetries } from './send.ts';
import type { WalletPool } from './wallets.ts';

/** Clients that follow the service's instructions; some of them disconnect. */
export function honestClients(
  { balancer, replicas, solana }: ChaosEnvironment,
  wallets: WalletPool,
  { reusedWallets, evmChain, quoteBody, signQuote, signCheck, signAny }: RequestPlan,
  typedClient: TypedCalls,
): Record<string, ClientScenario> {
  return {
    async buysQuote(random) {
      await sendWithRetries(balancer.url, await signQuote(random), retryPolicy);
    },
    async buysCheck(random) {
      await sendWithRetries(balancer.url, await signCheck(random), retryPolicy);
    },
    async sendsConcurrently(random) {
      const payment = await signAny(random);
      // Sends directly to each replica, not through the balancer.
      const urls = (replicas.length > 1 ? replicas : [...replicas, ...replicas]).map(({ url }) => url);
      await Promise.all(urls.map((url) => sendWithRetries(url, payment, retryPolicy)));
    },
    async disconnectsAndRetries(random) {
      const payment = await signQuote(random);
      await sendOnce(balancer.url, payment, random.between(5, 1_500));
      await sleep(random.between(0, 4_000));
      await sendWithRetries(balancer.url, payment, retryPolicy);
    },
    async disconnectsAndRetriesElsewhere(random) {
      const payment = await signAny(random);
      const first = random.pick(replicas);
      await sendOnce(first.url, payment, random.between(5, 1_500));
      await sleep(random.chance(0.3) ? random.between(8_000, 15_000) : random.between(0, 3_000));
      const others = replicas.filter((replica) => replica !== first);
      await sendWithRetries((others.length > 0 ? random.pick(others) : first).url, payment, retryPolicy);
    },
    async disconnects(random) {
      await sendOnce(balancer.url, await signAny(random), random.between(5, 1_500));
    },
    async replaysOldPayment(random) {
      const payment = random.pick(wallets.payments.length > 0 ? wallets.payments : [await signQuote(random)]);
      await sendOnce(balancer.url, payment, 20_000);
    },
    async replaysExpiredPayment(random) {
      // Above ten seconds, the minimum validity that the service accepts.
      const validSeconds = random.between(15, 25);
      const expired = sleep(1_000 * validSeconds);
      const payment = await wallets.sign(random.pick(reusedWallets), evmChain(random), '/v1/quote', quoteBody(random), {
        validSeconds,
      });
      await sendWithRetries(balancer.url, payment, retryPolicy);
      await expired;
      for (let times = 0; times < 3; times += 1) {
        await sleep(random.between(0, 1_500));
        await sendOnce(random.pick(replicas).url, payment, 20_000);
      }
    },
    async usesTypedClient(random) {
      const { evm, svm } = random.pick(reusedWallets);
      const wallet = random.chance(0.3) ? svm : evm;
      const client = createTruefillClient({
        url: balancer.url,
        wallet: wallet as Parameters<typeof createTruefillClient>[0]['wallet'],
        solanaRpcUrl: solana.rpcUrl,
        retry: { attempts: 8, longestWaitMs: 2_000 },
        fetch: wallets.recordingFetch,
      });
      try {
        await client.quote(quoteBody(random) as Parameters<typeof client.quote>[0]);
        typedClient.answered += 1;
      } catch (error) {
        if (!(error instanceof TruefillError)) throw error;
        if (error.name === 'AnswerPendingError') typedClient.pending += 1;
        else typedClient.refused += 1;
      }
      typedClient.spentUsd += client.spentUsd;
    },
  };
}
