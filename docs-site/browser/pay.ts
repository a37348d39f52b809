import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import {
  AnswerPendingError,
  createTruefillClient,
  PaymentRefusedError,
  type PendingCall,
  type PretradeRequest,
  type Progress,
  paths,
  type QuoteRequest,
  type Receipt,
  RequestRefusedError,
  type TruefillClient,
  TruefillError,
  UnavailableError,
  type Wallet,
} from '../../client/index.ts';
import { dropPending, keepPending, readPending } from './pendingPayments.ts';
import { explainWallet } from './walletErrors.ts';
import { connectPayingWallet, openDemoWallet, type PayWith } from './wallets.ts';

// The pages pay with the published client, and store each signed payment until its answer arrives.

export interface Bought {
  answer: object;
  receipt: Receipt | undefined;
}

type OnProgress = (progress: Progress) => void;

interface HowToBuy {
  payWith: PayWith;
  /** Only this network; any if undefined. */
  payOn: `${string}:${string}` | undefined;
  /** The CAIP-2 ids of the networks on which the service accepts payments. */
  networks: readonly string[];
  /** The chain of a quote. */
  chainId: number;
  /** The price that the page shows; nothing is signed above it. */
  priceUsd: number;
  onProgress: OnProgress;
  /** Shows the balance of the wallet before it asks. */
  say: (text: string) => void;
}

/**
 * Buys one answer.
 * @throws {WalletError | TruefillError}
 */
export async function buyAnswer(
  { path, body }: { path: string; body: unknown },
  { payWith, payOn, networks, chainId, priceUsd, onProgress, say }: HowToBuy,
): Promise<Bought> {
  const quote = path === paths.quote ? (body as QuoteRequest) : undefined;
  const sold = quote?.sizeIn === undefined ? undefined : { chainId, token: quote.tokenIn, size: quote.sizeIn };
  const wallet = await openWallet(payWith, { networks: payOn ? [payOn] : networks, sold, say });
  return withClient(
    { ...wallet, ...(payOn && { payOn }), spendLimit: { perCallUsd: priceUsd }, onProgress },
    (truefill) => (quote ? truefill.quote(quote) : truefill.pretradeCheck(body as PretradeRequest)),
  );
}

/**
 * Sends a stored payment again; it is never charged twice.
 * @throws {TruefillError}
 */
export function fetchPaidAnswer(pending: PendingCall, onProgress: OnProgress): Promise<Bought> {
  return withClient({ wallet: [], pending, onProgress }, (truefill) => truefill.resume(pending));
}

/**
 * A `fetch` for Swagger UI, which shows the response itself: the first request goes out unchanged, a 402 is paid. The
 * same request sends a stored payment again instead of signing another one.
 */
export async function openPayingFetch(payWith: PayWith): Promise<typeof fetch> {
  if (payWith === 'none') return (input, init) => fetch(input, init);
  return async (input, init = {}) => {
    const path = new URL(String(input), location.href).pathname;
    const body = String(init.body);
    let pending = readPending().find((kept) => kept.path === path && kept.body === body);
    if (!pending) {
      const unpaid = await fetch(input, init);
      const required = unpaid.headers.get('payment-required');
      if (unpaid.status !== 402 || required === null) return unpaid;
      const networks = decodePaymentRequiredHeader(required).accepts.map(({ network }) => network);
      const truefill = createTruefillClient({ url: location.origin, ...(await openWallet(payWith, { networks })) });
      pending = { path, body, paymentSignature: await truefill.sign(required) };
      keepPending(pending);
    }
    return fetchPaidResponse(pending);
  };
}

/** The last response to a stored payment, including a rejection. */
async function fetchPaidResponse(pending: PendingCall): Promise<Response> {
  let last: Response | undefined;
  const recording: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    last = response.clone();
    return response;
  };
  try {
    await withClient({ wallet: [], pending, fetch: recording }, (truefill) => truefill.resume(pending));
  } catch (error) {
    if (!last) throw error;
  }
  if (!last) throw new TypeError('The client returned without a response.');
  return last;
}

interface Paying {
  wallet: Wallet | readonly Wallet[];
  solanaRpcUrl?: string;
  allowSandbox?: 'only' | false;
  /** The payment to send again; absent if none is signed yet. */
  pending?: PendingCall;
  payOn?: `${string}:${string}`;
  spendLimit?: { perCallUsd: number };
  onProgress?: OnProgress;
  fetch?: typeof fetch;
}

/** A payment is stored before it is sent, and dropped with its answer or once the service reports that it charged nothing. */
async function withClient(
  { pending, ...options }: Paying,
  call: (truefill: TruefillClient) => Promise<object>,
): Promise<Bought> {
  let receipt: Receipt | undefined;
  let sent = pending;
  const truefill = createTruefillClient({
    url: location.origin,
    // The user is waiting: after three attempts the user decides.
    retry: { attempts: 3, longestWaitMs: 4_000 },
    onSigned: (signed) => {
      keepPending(signed);
      sent = signed;
    },
    onFinished: (finished) => {
      if (finished.paymentSignature !== sent?.paymentSignature) dropPending(finished);
    },
    onReceipt: (read) => {
      receipt = read;
    },
    ...options,
  });
  try {
    const answer = await call(truefill);
    if (sent) dropPending(sent);
    return { answer, receipt };
  } catch (error) {
    if (sent && chargedNothing(error)) dropPending(sent);
    throw error;
  }
}

/** Whether the service reports that it charged nothing. The user may then pay again, also on another network. */
function chargedNothing(error: unknown): boolean {
  if (error instanceof UnavailableError) return error.pending !== undefined;
  return (error instanceof PaymentRefusedError || error instanceof RequestRefusedError) && error.body.charged === false;
}

/** The demo wallet's key is public: it pays sandboxes only. */
async function openWallet(
  payWith: PayWith,
  payment: Parameters<typeof connectPayingWallet>[0],
): Promise<Pick<Paying, 'wallet' | 'solanaRpcUrl' | 'allowSandbox'>> {
  return payWith === 'demo' ? { wallet: await openDemoWallet(), allowSandbox: 'only' } : connectPayingWallet(payment);
}

/** The service's message with every issue, or what the user can do. */
export function explain(error: unknown): string {
  if (error instanceof AnswerPendingError) {
    const reason = error.cause instanceof TruefillError ? ` ${error.cause.message}` : '';
    return `Your payment was sent and its answer has not arrived.${reason} Fetching it costs nothing more.`;
  }
  if (error instanceof RequestRefusedError) {
    const { detail, issues = [] } = error.body;
    return [detail, ...issues.map(({ path, message }) => `${path}: ${message}`)].join(' ');
  }
  if (error instanceof Error && error.name === 'SolanaError')
    return 'The payment on Solana could not be prepared. Nothing was sent or charged. Try again, or pay on another network.';
  return explainWallet(error, 'You rejected the request in your wallet. Nothing was signed or charged.');
}

/** The decoded receipt; null if it is missing or malformed. */
export function readReceipt(header: string | null): ReturnType<typeof decodePaymentResponseHeader> | null {
  if (!header) return null;
  try {
    return decodePaymentResponseHeader(header);
  } catch {
    return null;
  }
}
