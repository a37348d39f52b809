import { createHash } from 'node:crypto';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { PaymentPayload } from '@x402/core/types';

/** Payment networks of a run. */
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
  /** The answer or the error, in the form of the REST body on all surfaces. */
  body: string;
  free: boolean;
  /** Transaction in the receipt; empty without a receipt. */
  transaction: string;
  replayed: boolean;
  /** Whether the request differed from the one that the payment was signed for. */
  conflicting: boolean;
  /** Times of sending and receiving, in milliseconds of `performance.now()`. */
  sentAt: number;
  receivedAt: number;
}

/** A signed payment and every response to it. */
export interface Payment {
  payload: PaymentPayload;
  header: string;
  chain: PayChain;
  /** Path of the paid resource. For an MCP tool, it is the tool's REST path; for a tRPC procedure, the tRPC path. */
  path: string;
  body: string;
  responses: ReceivedResponse[];
  /** Time of each request, including those without a response. */
  sentTimes: number[];
  /** Whether a third party submitted the authorization to the token. */
  sentOutside?: true;
  /** The payment identifier that the client set. */
  identifier?: string;
}

/** A payment without responses. */
export function newPayment(payload: PaymentPayload, header: string, path: string, body: string): Payment {
  return { payload, header, chain: chainOf(payload.accepted.network), path, body, responses: [], sentTimes: [] };
}

/** Records a request before it is sent. */
export function recordSend(payment: Payment, body: string): Pick<ReceivedResponse, 'sentAt' | 'conflicting'> {
  const sentAt = performance.now();
  payment.sentTimes.push(sentAt);
  return { sentAt, conflicting: body !== payment.body };
}

export function authorizationOf({ payload }: Payment) {
  const { authorization, signature } = payload.payload as {
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', `0x${string}`>;
    signature: `0x${string}`;
  };
  return { ...authorization, signature };
}

/** The bytes of the signed Solana message. */
const messageOf = ({ payload }: Payment): Uint8Array =>
  new Uint8Array(
    getTransactionDecoder().decode(Buffer.from(String(payload.payload.transaction), 'base64')).messageBytes,
  );

/** The ledger key of a Solana message. */
export const keyOfMessage = (message: Uint8Array): string =>
  `${networkOf.solana}|${createHash('sha256').update(message).digest('hex')}`;

/** The ledger key of a payment. */
export function keyOf(payment: Payment): string {
  if (payment.chain === 'solana') return keyOfMessage(messageOf(payment));
  const { from, nonce } = authorizationOf(payment);
  return [networkOf[payment.chain], payment.payload.accepted.asset, from, nonce].join('|').toLowerCase();
}

/** The payer's normalised address. */
export function walletOf(payment: Payment): string {
  if (payment.chain !== 'solana') return authorizationOf(payment).from.toLowerCase();
  // The first account is the fee payer, the second the payer.
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageOf(payment));
  return String(staticAccounts[1]);
}

export interface Receipt {
  transaction: string;
  extra?: Record<string, unknown>;
}

export const toReceiptFields = (receipt: Receipt | undefined): Pick<ReceivedResponse, 'free' | 'transaction'> => ({
  free: receipt?.extra?.freeTrial === true,
  transaction: receipt?.transaction ?? '',
});
