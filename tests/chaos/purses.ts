import { setTimeout as sleep } from 'node:timers/promises';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { type Hex, numberToHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { byMaker } from '../../sandbox/market/maker.ts';
import { operatorAddress } from '../../sandbox/placement/operator.ts';
import { transferOf } from '../../sandbox/tokens/erc20.ts';
import type { ChaosWorld } from './chaosWorld.ts';

export type PayChain = 'base' | 'polygon';
export const networkOf = { base: 'eip155:8453', polygon: 'eip155:137' } as const;

/** One answer that came back for a payment. */
interface Told {
  status: number;
  body: string;
  free: boolean;
  replayed: boolean;
  /** Asked for something else than the payment was made for. */
  conflicting: boolean;
}

/** A signature that the service has seen, and all that came of it. */
export interface Payment {
  payload: PaymentPayload;
  header: string;
  chain: PayChain;
  path: string;
  body: string;
  told: Told[];
  /** Its signer, or somebody, has given it to the token directly. */
  sentOutside?: true;
}

/** Reads a response to its end. */
export async function readTold(response: Response, conflicting: boolean): Promise<Told> {
  const body = await response.text();
  const receipt = response.headers.get('payment-response');
  return {
    status: response.status,
    body,
    free: receipt !== null && decodePaymentResponseHeader(receipt).extra?.freeTrial === true,
    replayed: response.headers.get('idempotent-replayed') === 'true',
    conflicting,
  };
}

/** Real transfers from the market maker's stock, some hundred in a block; nonces said, because all come at once. */
async function fundAll(world: ChaosWorld, chain: SandboxChain, wallets: readonly PrivateKeyAccount[], units: bigint) {
  const first = Number(await world.node<Hex>(chain, 'eth_getTransactionCount', [operatorAddress, 'pending']));
  const gifts = byMaker(wallets.map(({ address }) => transferOf(chain.usdc, address, units)));
  for (const [index, gift] of gifts.entries()) {
    const nonce = numberToHex(first + index);
    const transaction = { from: operatorAddress, gas: numberToHex(1_000_000), ...gift, value: '0x0', nonce };
    await world.node(chain, 'eth_sendTransaction', [transaction]);
  }
  const last = wallets.at(-1)?.address;
  while (last && (await world.usdcOf(chain, last)) < units) await sleep(200);
}

/** Signs payments out of funded wallets, and remembers every one: the books are held against them in the end. */
export async function openPurses(world: ChaosWorld) {
  const { balancer, chains } = world;
  const payments: Payment[] = [];
  const offers = new Map<string, PaymentRequired>();
  for (const path of ['/v1/quote', '/v1/pretrade/check']) {
    const unpaid = await fetch(balancer.url + path, { method: 'POST' });
    offers.set(path, decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? ''));
  }

  /** A fetch that writes down what a client signs by itself. */
  const recordingFetch: typeof fetch = async (input, init) => {
    const header = new Headers(init?.headers).get('payment-signature');
    if (header === null) return fetch(input, init);
    let payment = payments.find((known) => known.header === header);
    if (!payment) {
      const payload = decodePaymentSignatureHeader(header);
      const chain = payload.accepted.network === networkOf.base ? 'base' : 'polygon';
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      payment = { payload, header, chain, path: pathname, body: String(init?.body), told: [] };
      payments.push(payment);
    }
    const response = await fetch(input, init);
    payment.told.push(await readTold(response.clone(), false));
    return response;
  };

  return {
    payments,
    recordingFetch,
    /** New wallets with so many raw units on each chain, by real transfers. */
    async newWallets(count: number, units: bigint): Promise<PrivateKeyAccount[]> {
      const wallets = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));
      for (const chain of Object.values(chains)) await fundAll(world, chain, wallets, units);
      return wallets;
    },
    /** @param path where it is paid; an alias is its first path's offer */
    async sign(account: PrivateKeyAccount, chain: PayChain, path: string, body: object): Promise<Payment> {
      const offer = offers.get(path === '/v1/quote' ? path : '/v1/pretrade/check');
      if (!offer) throw new Error(`No offer for ${path}.`);
      const payer = new x402Client().register(networkOf[chain], new ExactEvmScheme(account));
      const payload = await payer.createPaymentPayload(offer);
      const header = encodePaymentSignatureHeader(payload);
      const payment: Payment = { payload, header, chain, path, body: JSON.stringify(body), told: [] };
      payments.push(payment);
      return payment;
    },
  };
}

export type Purses = Awaited<ReturnType<typeof openPurses>>;

/** The authorization inside; all that the chain will know of the payment. */
export function authorizationOf({ payload }: Payment) {
  const { authorization, signature } = payload.payload as {
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', `0x${string}`>;
    signature: `0x${string}`;
  };
  return { ...authorization, signature };
}

/** As the ledger names it. */
export function keyOf(payment: Payment): string {
  const { from, nonce } = authorizationOf(payment);
  return [networkOf[payment.chain], payment.payload.accepted.asset, from, nonce].join('|').toLowerCase();
}
