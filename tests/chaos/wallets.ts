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
import { toMakerTransactions } from '../../sandbox/market/maker.ts';
import { operatorAddress } from '../../sandbox/placement/operator.ts';
import { transferOf } from '../../sandbox/tokens/erc20.ts';
import { usdcOf } from '../support/buyer.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import { type ContractWalletKind, deployContractWallets } from './contractWallets.ts';
import { networkOf, newPayment, type PayChain, type Payment, recordSend } from './payments.ts';
import { readResponse } from './send.ts';

/** Signs on EVM chains: a private key, or a contract wallet through its owner's key. */
type EvmSigner = ConstructorParameters<typeof ExactEvmScheme>[0];

/** One EVM wallet and one Solana wallet of a client, with equal balances. */
export interface ClientWallet {
  evm: EvmSigner;
  svm: KeyPairSigner;
  /** Undefined for a private key. */
  contract?: ContractWalletKind;
}

/** Funds wallets with USDC transfers. Nonces are explicit, because one block includes hundreds of transfers. */
async function fundAll(environment: ChaosEnvironment, chain: SandboxChain, wallets: readonly Address[], units: bigint) {
  const first = Number(await environment.node<Hex>(chain, 'eth_getTransactionCount', [operatorAddress, 'pending']));
  const transfers = toMakerTransactions(wallets.map((wallet) => transferOf(chain.usdc, wallet, units)));
  for (const [index, transfer] of transfers.entries()) {
    const nonce = numberToHex(first + index);
    const transaction = { from: operatorAddress, gas: numberToHex(1_000_000), ...transfer, value: '0x0', nonce };
    await environment.node(chain, 'eth_sendTransaction', [transaction]);
  }
  const last = wallets.at(-1);
  while (last && (await usdcOf(chain, last)) < units) await sleep(200);
}

/** Reads the two offers. The offer of a REST path is also that of its aliases, tool and procedure. */
async function readOffers(url: string): Promise<(path: string) => PaymentRequired> {
  const readOffer = async (path: string) => {
    const unpaid = await fetch(url + path, { method: 'POST' });
    return decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  };
  const quote = await readOffer('/v1/quote');
  const check = await readOffer('/v1/pretrade/check');
  return (path) => (path.endsWith('quote') ? quote : check);
}

/** A fetch that records the requests and responses of payments, and adds new payments to `payments`. */
function createRecordingFetch(payments: Payment[]): typeof fetch {
  return async (input, init) => {
    const header = new Headers(init?.headers).get('payment-signature');
    if (header === null) return fetch(input, init);
    let payment = payments.find((known) => known.header === header);
    if (!payment) {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      payment = newPayment(decodePaymentSignatureHeader(header), header, pathname, String(init?.body));
      payments.push(payment);
    }
    const request = recordSend(payment, payment.body);
    const response = await fetch(input, init);
    payment.responses.push(await readResponse(response.clone(), payment.path, request));
    return response;
  };
}

/** Creates funded wallets, and signs payments and records them for the audit. */
export async function openWalletPool(environment: ChaosEnvironment) {
  const { balancer, chains, solana } = environment;
  const payments: Payment[] = [];
  const offerOf = await readOffers(balancer.url);

  return {
    payments,
    /** A fetch that records payments signed by the typed client. */
    recordingFetch: createRecordingFetch(payments),
    /** Creates wallets with `units` raw units of USDC on each chain. */
    async newWallets(count: number, units: bigint, contract?: ContractWalletKind): Promise<ClientWallet[]> {
      const keys = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));
      const evm: EvmSigner[] = contract ? await deployContractWallets(environment, keys, contract) : keys;
      for (const chain of Object.values(chains))
        await fundAll(
          environment,
          chain,
          evm.map(({ address }) => address),
          units,
        );
      return Promise.all(
        evm.map(async (account) => {
          const svm = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(randomBytes(32)));
          await solana.setUsdcBalance(svm.address, units);
          return { evm: account, svm, ...(contract && { contract }) };
        }),
      );
    },
    /**
     * Signs a payment.
     *
     * @param path endpoint that the payment is for
     * @param options payment identifier; offer of another response; seconds until the authorization expires, on EVM chains
     */
    async sign(
      wallet: ClientWallet,
      chain: PayChain,
      path: string,
      body: object,
      options: { identifier?: string; offer?: PaymentRequired; validSeconds?: number } = {},
    ): Promise<Payment> {
      const offer = structuredClone(options.offer ?? offerOf(path));
      if (options.identifier !== undefined)
        appendPaymentIdentifierToExtensions(offer.extensions ?? {}, options.identifier);
      const payer = new x402Client().register(
        networkOf[chain],
        chain === 'solana' ? new ExactSvmScheme(wallet.svm, { rpcUrl: solana.rpcUrl }) : new ExactEvmScheme(wallet.evm),
      );
      const { validSeconds } = options;
      const signed =
        validSeconds === undefined
          ? offer
          : { ...offer, accepts: offer.accepts.map((terms) => ({ ...terms, maxTimeoutSeconds: validSeconds })) };
      const payload = await payer.createPaymentPayload(signed);
      // `accepted` must equal an entry of the offer's `accepts`, also with a changed timeout.
      const accepted = offer.accepts.find(({ network }) => network === payload.accepted.network);
      if (accepted) payload.accepted = accepted;
      const payment = newPayment(payload, encodePaymentSignatureHeader(payload), path, JSON.stringify(body));
      if (options.identifier !== undefined) payment.identifier = options.identifier;
      payments.push(payment);
      return payment;
    },
  };
}

export type WalletPool = Awaited<ReturnType<typeof openWalletPool>>;
