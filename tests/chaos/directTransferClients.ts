import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';
import { usdcOf } from '../support/buyer.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario } from './clientScenario.ts';
import { authorizationOf, type Payment } from './payments.ts';
import { type RequestPlan, retryPolicy } from './requests.ts';
import { sendWithRetries } from './send.ts';
import type { WalletPool } from './wallets.ts';

const authorizationAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** Sends transactions of any account one after another, because concurrent ones would use the same nonce. */
function createSender(environment: ChaosEnvironment) {
  let last: Promise<unknown> = Promise.resolve();
  return (from: Address, to: Address, data: Hex, chain: SandboxChain): Promise<unknown> => {
    last = last
      .then(async () => {
        await environment.node(chain, 'anvil_impersonateAccount', [from]);
        await environment.node(chain, 'anvil_setBalance', [from, numberToHex(10n ** 18n)]);
        return environment.node(chain, 'eth_sendTransaction', [{ from, to, data, gas: numberToHex(300_000) }]);
      })
      // A rejected or late transaction is a valid outcome here.
      .catch(() => undefined);
    return last;
  };
}

/** Clients that send transactions of their own while the service settles their payment. */
export function directTransferClients(
  environment: ChaosEnvironment,
  wallets: WalletPool,
  { reusedWallets, takeFreshWallet, evmChain, payChain, quoteBody, checkBody, checkPath, signCheck }: RequestPlan,
): Record<string, ClientScenario> {
  const { balancer, chains, solana } = environment;
  const sendOutside = createSender(environment);
  /** Submits the payment's authorization to the token without the service. */
  const sendAuthorizationOutside = (payment: Payment, chain: SandboxChain) => {
    const { from, to, value, validAfter, validBefore, nonce, signature } = authorizationOf(payment);
    payment.sentOutside = true;
    const data = encodeFunctionData({
      abi: authorizationAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    });
    return sendOutside(environment.outsider.address, chain.usdc, data, chain);
  };

  return {
    async settlesPaymentItself(random) {
      const chain = evmChain(random);
      const payment = await wallets.sign(random.pick(reusedWallets), chain, '/v1/quote', quoteBody(random));
      if (random.chance(0.5)) await sendAuthorizationOutside(payment, chains[chain]);
      const sending = sendWithRetries(balancer.url, payment, retryPolicy);
      await sleep(random.between(0, 300));
      await sendAuthorizationOutside(payment, chains[chain]);
      await sending;
    },
    async movesFundsAfterSigning(random) {
      const wallet = takeFreshWallet(random);
      if (!wallet) return;
      const chain = payChain(random);
      const payment = await wallets.sign(wallet, chain, checkPath(random), checkBody(random));
      const sending = sendWithRetries(balancer.url, payment, retryPolicy);
      await sleep(random.between(0, 400));
      if (chain === 'solana') await solana.setUsdcBalance(wallet.svm.address, 0n);
      else {
        const { address } = wallet.evm;
        const all = await usdcOf(chains[chain], address);
        const args = [environment.outsider.address, all] as const;
        const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
        await sendOutside(address, chains[chain].usdc, data, chains[chain]);
      }
      await sending;
      await sendWithRetries(balancer.url, await signCheck(random, wallet), { ...retryPolicy, tries: 2 });
    },
  };
}
