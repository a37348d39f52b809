import { createHash } from 'node:crypto';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { PaymentPayload } from '@x402/core/types';

/** Payment networks of a run; each has its own settler. */
export type PayChain = 'base' | 'polygon' | 'solana';
export type EvmPayChain = Exclude<PayChain, 'solana'>;

export const networkOf = {
  base: 'eip155:8453',
  polygon: 'eip155:137',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
} as const;

const chainOf = (network: string): PayChain => {
  const found = Object.entries(networkOf).find(([, id]) => id === network);
  if (!found) throw new TypeError(`No payment network for ${network}.`);
  return found[0] as PayChain;
};

/** One response to a payment. */
export interface ReceivedResponse {
  status: number;
  /** The answer or the REST error, whichever surface returned it. */
  body: string;
  free: boolean;
  /** From the receipt; empty without one. */
  transaction: string;
  replayed: boolean;
  /** The request differed from the one that the payment was made for. */
  conflicting: boolean;
  /** When the request was sent and the response received, in milliseconds of one clock. */
  sentAt: number;
  receivedAt: number;
}

/** A signed payment and every response to it. */
export interface Payment {
  payload: PaymentPayload;
  header: string;
  chain: PayChain;
  /** What the payment is for. A tRPC procedure differs from its REST path; an MCP tool does not. */
  path: string;
  body: string;
  responses: ReceivedResponse[];
  /** When each request was sent, answered or not. */
  sentTimes: number[];
  /** The authorization was also submitted directly to the token. */
  sentOutside?: true;
  /** Payment identifier that its client set. */
  name?: string;
}

/** A payment without any response yet. */
export function newPayment(payload: PaymentPayload, header: string, path: string, body: string): Payment {
  return { payload, header, chain: chainOf(payload.accepted.network), path, body, responses: [], sentTimes: [] };
}

/** Records that a request is being sent. @param body the request's body */
export function recordSend(payment: Payment, body: string): Pick<ReceivedResponse, 'sentAt' | 'conflicting'> {
  const sentAt = performance.now();
  payment.sentTimes.push(sentAt);
  return { sentAt, conflicting: body !== payment.body };
}

/** The authorization of an EVM payment. */
export function authorizationOf({ payload }: Payment) {
  const { authorization, signature } = payload.payload as {
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', `0x${string}`>;
    signature: `0x${string}`;
  };
  return { ...authorization, signature };
}

/** Message bytes that the Solana wallet signed. */
const messageOf = ({ payload }: Payment): Uint8Array =>
  new Uint8Array(
    getTransactionDecoder().decode(Buffer.from(String(payload.payload.transaction), 'base64')).messageBytes,
  );

/** Ledger key of a Solana message. */
export const keyOfMessage = (message: Uint8Array): string =>
  `${networkOf.solana}|${createHash('sha256').update(message).digest('hex')}`;

/** Ledger key of a payment. */
export function keyOf(payment: Payment): string {
  if (payment.chain === 'solana') return keyOfMessage(messageOf(payment));
  const { from, nonce } = authorizationOf(payment);
  return [networkOf[payment.chain], payment.payload.accepted.asset, from, nonce].join('|').toLowerCase();
}

/** Payer, in one spelling per wallet. */
export function walletOf(payment: Payment): string {
  if (payment.chain !== 'solana') return authorizationOf(payment).from.toLowerCase();
  // The payer signs right after the fee payer.
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageOf(payment));
  return String(staticAccounts[1]);
}

/** The payment receipt; undefined when the response has none. */
export interface Receipt {
  transaction: string;
  extra?: Record<string, unknown>;
}

export const readReceipt = (receipt: Receipt | undefined): Pick<ReceivedResponse, 'free' | 'transaction'> => ({
  free: receipt?.extra?.freeTrial === true,
  transaction: receipt?.transaction ?? '',
});
