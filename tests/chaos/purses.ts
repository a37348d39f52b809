import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import {
  decodePaymentRequiredHeader,
  decodePaymentSignatureHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { type Address, type Hex, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { byMaker } from '../../sandbox/market/maker.ts';
import { operatorAddress } from '../../sandbox/placement/operator.ts';
import { transferOf } from '../../sandbox/tokens/erc20.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import { type ContractWalletKind, placeContractWallets } from './contractWallets.ts';
import { networkOf, newPayment, noteAsk, type PayChain, type Payment } from './payments.ts';
import { readTold } from './send.ts';

/** What signs on EVM chains: a key, or a contract wallet through its owner's key. */
type EvmSigner = ConstructorParameters<typeof ExactEvmScheme>[0];

/** A guest's wallets: one for the EVM chains, one for Solana; all are filled alike. */
export interface Purse {
  evm: EvmSigner;
  svm: KeyPairSigner;
  /** Undefined: a plain key. */
  contract?: ContractWalletKind;
}

/** Real transfers from the market maker's stock, some hundred in a block; nonces said, because all come at once. */
async function fundAll(world: ChaosWorld, chain: SandboxChain, wallets: readonly Address[], units: bigint) {
  const first = Number(await world.node<Hex>(chain, 'eth_getTransactionCount', [operatorAddress, 'pending']));
  const gifts = byMaker(wallets.map((wallet) => transferOf(chain.usdc, wallet, units)));
  for (const [index, gift] of gifts.entries()) {
    const nonce = numberToHex(first + index);
    const transaction = { from: operatorAddress, gas: numberToHex(1_000_000), ...gift, value: '0x0', nonce };
    await world.node(chain, 'eth_sendTransaction', [transaction]);
  }
  const last = wallets.at(-1);
  while (last && (await world.usdcOf(chain, last)) < units) await sleep(200);
}

/** Signs payments out of funded wallets, and remembers every one: the books are held against them in the end. */
export async function openPurses(world: ChaosWorld) {
  const { balancer, chains, solana } = world;
  const payments: Payment[] = [];
  const offers = new Map<string, PaymentRequired>();
  for (const path of ['/v1/quote', '/v1/pretrade/check']) {
    const unpaid = await fetch(balancer.url + path, { method: 'POST' });
    offers.set(path, decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? ''));
  }
  /** Aliases, tools and procedures are offered as the REST path is. */
  const offerOf = (path: string): PaymentRequired => {
    const offer = offers.get(path.endsWith('quote') ? '/v1/quote' : '/v1/pretrade/check');
    if (!offer) throw new Error(`No offer for ${path}.`);
    return offer;
  };

  /** A fetch that writes down what a client signs by itself. */
  const recordingFetch: typeof fetch = async (input, init) => {
    const header = new Headers(init?.headers).get('payment-signature');
    if (header === null) return fetch(input, init);
    let payment = payments.find((known) => known.header === header);
    if (!payment) {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      payment = newPayment(decodePaymentSignatureHeader(header), header, pathname, String(init?.body));
      payments.push(payment);
    }
    const asked = noteAsk(payment, payment.body);
    const response = await fetch(input, init);
    payment.told.push(await readTold(response.clone(), payment.path, asked));
    return response;
  };

  return {
    payments,
    recordingFetch,
    /** New wallets with so many raw units on each chain, by real transfers on the EVM ones. */
    async newPurses(count: number, units: bigint, contract?: ContractWalletKind): Promise<Purse[]> {
      const keys = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));
      const evm: EvmSigner[] = contract ? await placeContractWallets(world, keys, contract) : keys;
      for (const chain of Object.values(chains))
        await fundAll(
          world,
          chain,
          evm.map(({ address }) => address),
          units,
        );
      return Promise.all(
        evm.map(async (account) => {
          const svm = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(randomBytes(32)));
          await solana.giveUsdc(svm.address, units);
          return { evm: account, svm, ...(contract && { contract }) };
        }),
      );
    },
    /**
     * @param path where it is to be used
     * @param more what the wallet calls its payment; an offer that was made elsewhere
     */
    async sign(
      purse: Purse,
      chain: PayChain,
      path: string,
      body: object,
      more: { name?: string; offer?: PaymentRequired } = {},
    ): Promise<Payment> {
      const offer = structuredClone(more.offer ?? offerOf(path));
      if (more.name !== undefined) appendPaymentIdentifierToExtensions(offer.extensions ?? {}, more.name);
      const payer = new x402Client().register(
        networkOf[chain],
        chain === 'solana' ? new ExactSvmScheme(purse.svm, { rpcUrl: solana.rpcUrl }) : new ExactEvmScheme(purse.evm),
      );
      const payload = await payer.createPaymentPayload(offer);
      const payment = newPayment(payload, encodePaymentSignatureHeader(payload), path, JSON.stringify(body));
      if (more.name !== undefined) payment.name = more.name;
      payments.push(payment);
      return payment;
    },
  };
}

export type Purses = Awaited<ReturnType<typeof openPurses>>;
