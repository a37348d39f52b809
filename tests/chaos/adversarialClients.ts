import { setTimeout as sleep } from 'node:timers/promises';
import { encodeAbiParameters } from 'viem';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario } from './clientScenario.ts';
import { authorizationOf } from './payments.ts';
import { type RequestPlan, retryPolicy } from './requests.ts';
import { sendOnce, sendOverMcp, sendWithRetries } from './send.ts';
import type { WalletPool } from './wallets.ts';

/** Magic suffix of ERC-6492 signatures, for wallets that are not deployed. */
const erc6492Suffix = '6492'.repeat(16);

const encodeHeader = (payload: object): string => Buffer.from(JSON.stringify(payload)).toString('base64');

/** Clients that try to get more answers than they pay for, or that pay in unusual ways. */
export function adversarialClients(
  environment: ChaosEnvironment,
  wallets: WalletPool,
  { reusedWallets, takeFreshWallet, returnWallet, evmChain, quoteBody, signQuote, signCheck }: RequestPlan,
): Record<string, ClientScenario> {
  const { balancer } = environment;

  return {
    async requestsSeveralTrials(random) {
      const wallet = takeFreshWallet(random);
      if (!wallet) return;
      const payments = await Promise.all(Array.from({ length: random.between(2, 4) }, () => signCheck(random, wallet)));
      await Promise.all(
        payments.map((payment) =>
          sendWithRetries(balancer.url, payment, retryPolicy, random.chance(0.3) ? sendOverMcp : sendOnce),
        ),
      );
    },
    async reusesPaymentForOtherRequest(random) {
      const payment = await signQuote(random);
      const other = JSON.stringify(quoteBody(random));
      const sendBy = random.chance(0.3) ? sendOverMcp : sendOnce;
      await Promise.all([
        sendWithRetries(balancer.url, payment, retryPolicy),
        sleep(random.between(0, 1_500)).then(() => sendBy(balancer.url, payment, 20_000, other)),
      ]);
    },
    async altersAcceptedAmount(random) {
      const wallet = takeFreshWallet(random);
      if (!wallet) return;
      const payment = await signQuote(random, wallet);
      payment.header = encodeHeader({ ...payment.payload, accepted: { ...payment.payload.accepted, amount: '1' } });
      await sendOnce(balancer.url, payment, 20_000);
      returnWallet(wallet);
    },
    async wrapsSignature(random) {
      const chain = evmChain(random);
      const payment = await wallets.sign(random.pick(reusedWallets), chain, '/v1/quote', quoteBody(random));
      const { signature, from } = authorizationOf(payment);
      const envelope = encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [from, '0x1234', signature],
      );
      payment.payload = {
        ...payment.payload,
        payload: { ...payment.payload.payload, signature: `${envelope}${erc6492Suffix}` },
      };
      payment.header = encodeHeader(payment.payload);
      await sendWithRetries(balancer.url, payment, retryPolicy);
    },
  };
}
