import { createHash } from 'node:crypto';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { PaymentPayload } from '@x402/core/types';

/** Where a payment may be made in a run, each settled another way. */
export type PayChain = 'base' | 'polygon' | 'solana';
export type EvmPayChain = Exclude<PayChain, 'solana'>;

export const networkOf = {
  base: 'eip155:8453',
  polygon: 'eip155:137',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
} as const;

const chainOf = (network: string): PayChain => {
  const found = Object.entries(networkOf).find(([, id]) => id === network);
  if (!found) throw new TypeError(`Nobody is paid on ${network} here.`);
  return found[0] as PayChain;
};

/** One answer that came back for a payment. */
export interface Told {
  status: number;
  /** An answer, or the error of REST, whichever surface it came over. */
  body: string;
  free: boolean;
  /** Of the receipt; empty where there is none. */
  transaction: string;
  replayed: boolean;
  /** Asked for something else than the payment was made for. */
  conflicting: boolean;
  /** When it was asked and when it was told, in milliseconds of one clock. */
  askedAt: number;
  toldAt: number;
}

/** A signature that the service may have seen, and all that came of it. */
export interface Payment {
  payload: PaymentPayload;
  header: string;
  chain: PayChain;
  /** What it was made for: a tRPC procedure is another thing than its REST path, an MCP tool is the same. */
  path: string;
  body: string;
  told: Told[];
  /** When it was sent, whatever came back. */
  asks: number[];
  /** Its signer, or somebody, has given it to the token directly. */
  sentOutside?: true;
  /** The name that its wallet gave it. */
  name?: string;
}

/** A payment of which nothing has been heard yet. */
export function newPayment(payload: PaymentPayload, header: string, path: string, body: string): Payment {
  return { payload, header, chain: chainOf(payload.accepted.network), path, body, told: [], asks: [] };
}

/** Notes that it is sent now. @param body of the request that it goes with */
export function noteAsk(payment: Payment, body: string): Pick<Told, 'askedAt' | 'conflicting'> {
  const askedAt = performance.now();
  payment.asks.push(askedAt);
  return { askedAt, conflicting: body !== payment.body };
}

/** The authorization inside an EVM payment; all that the chain will know of it. */
export function authorizationOf({ payload }: Payment) {
  const { authorization, signature } = payload.payload as {
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', `0x${string}`>;
    signature: `0x${string}`;
  };
  return { ...authorization, signature };
}

/** The bytes that a Solana payment's wallet has signed. */
const messageOf = ({ payload }: Payment): Uint8Array =>
  new Uint8Array(
    getTransactionDecoder().decode(Buffer.from(String(payload.payload.transaction), 'base64')).messageBytes,
  );

/** How the ledger names a Solana message. */
export const keyOfMessage = (message: Uint8Array): string =>
  `${networkOf.solana}|${createHash('sha256').update(message).digest('hex')}`;

/** As the ledger names it. */
export function keyOf(payment: Payment): string {
  if (payment.chain === 'solana') return keyOfMessage(messageOf(payment));
  const { from, nonce } = authorizationOf(payment);
  return [networkOf[payment.chain], payment.payload.accepted.asset, from, nonce].join('|').toLowerCase();
}

/** Whose money it is; one spelling for each wallet. */
export function walletOf(payment: Payment): string {
  if (payment.chain !== 'solana') return authorizationOf(payment).from.toLowerCase();
  // Behind the fee payer stands the only other one who signs.
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageOf(payment));
  return String(staticAccounts[1]);
}

/** What a receipt says, as it stands in an answer; undefined where there is none. */
export interface Receipt {
  transaction: string;
  extra?: Record<string, unknown>;
}

export const readReceipt = (receipt: Receipt | undefined): Pick<Told, 'free' | 'transaction'> => ({
  free: receipt?.extra?.freeTrial === true,
  transaction: receipt?.transaction ?? '',
});
