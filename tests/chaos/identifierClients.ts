import { setTimeout as sleep } from 'node:timers/promises';
import { generatePaymentId } from '@x402/extensions/payment-identifier';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario } from './clientScenario.ts';
import type { Payment } from './payments.ts';
import type { Random } from './random.ts';
import { type RequestPlan, retryPolicy } from './requests.ts';
import { sendOnce, sendOverMcp, sendWithRetries } from './send.ts';
import type { ClientWallet, WalletPool } from './wallets.ts';

/** Clients that set a `payment-identifier` and then retry, or sign again with the same identifier. */
export function identifierClients(
  { balancer, replicas }: ChaosEnvironment,
  wallets: WalletPool,
  { reusedWallets, takeFreshWallet, evmChain, payChain, quoteBody, checkBody }: RequestPlan,
): Record<string, ClientScenario> {
  /** Signs `count` payments of one wallet with the same identifier. */
  async function signWithOneIdentifier(random: Random, wallet: ClientWallet, count: number): Promise<Payment[]> {
    const identifier = generatePaymentId('order_');
    // An identifier belongs to one wallet: a client has one for all EVM chains and another for Solana.
    const chains = random.chance(0.3) ? (['solana'] as const) : undefined;
    const [path, body] = random.chance(0.6)
      ? ['/v1/quote', quoteBody(random)]
      : ['/v1/token-safety', checkBody(random)];
    return Promise.all(
      Array.from({ length: count }, () =>
        wallets.sign(wallet, chains ? chains[0] : evmChain(random), path, body, { identifier }),
      ),
    );
  }
  return {
    async setsIdentifier(random) {
      const identifier = generatePaymentId('order_');
      const payment = await wallets.sign(random.pick(reusedWallets), payChain(random), '/v1/quote', quoteBody(random), {
        identifier,
      });
      await sendWithRetries(balancer.url, payment, retryPolicy);
    },
    async signsConcurrentlyWithOneIdentifier(random) {
      const sameIdentifier = await signWithOneIdentifier(random, random.pick(reusedWallets), random.between(2, 4));
      await Promise.all(
        sameIdentifier.map((payment) => sendWithRetries(random.pick(replicas).url, payment, retryPolicy)),
      );
    },
    async signsAgainWithSameIdentifier(random) {
      const [first, second] = await signWithOneIdentifier(random, random.pick(reusedWallets), 2);
      if (!first || !second) return;
      await sendOnce(balancer.url, first, random.between(5, 2_500));
      await sleep(random.between(0, 2_000));
      await sendWithRetries(balancer.url, second, retryPolicy, random.chance(0.5) ? sendOverMcp : sendOnce);
      await sendWithRetries(balancer.url, first, retryPolicy);
    },
    async setsIdentifierOnTrial(random) {
      const wallet = takeFreshWallet(random);
      if (!wallet) return;
      const sameIdentifier = await signWithOneIdentifier(random, wallet, 2);
      await Promise.all(sameIdentifier.map((payment) => sendWithRetries(balancer.url, payment, retryPolicy)));
    },
  };
}
