import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario } from './clientScenario.ts';
import { authorizationOf, type Payment } from './payments.ts';
import { type RequestPlan, retryPolicy } from './requests.ts';
import { sendOnce, sendOverMcp, sendWithRetries } from './send.ts';
import type { WalletPool } from './wallets.ts';

const authorizationAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
/** Magic suffix of ERC-6492 signatures, for wallets that are not deployed. */
const erc6492Suffix = '6492'.repeat(16);

const encodeHeader = (payload: object): string => Buffer.from(JSON.stringify(payload)).toString('base64');

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
      // The transaction may be rejected or mined too late, which are valid outcomes here.
      .catch(() => undefined);
    return last;
  };
}

/** Clients that try to get more answers than they pay for, or that pay in unusual ways. */
export function adversarialClients(
  environment: ChaosEnvironment,
  wallets: WalletPool,
  {
    reusedWallets,
    takeFreshWallet,
    returnWallet,
    evmChain,
    payChain,
    quoteBody,
    checkBody,
    checkPath,
    signQuote,
    signCheck,
  }: RequestPlan,
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
        const all = await environment.usdcOf(chains[chain], address);
        const args = [environment.outsider.address, all] as const;
        const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
        await sendOutside(address, chains[chain].usdc, data, chains[chain]);
      }
      await sending;
      await sendWithRetries(balancer.url, await signCheck(random, wallet), { ...retryPolicy, tries: 2 });
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
