import type { Address, Hex } from 'viem';
import type { PaidName } from './cashierTypes.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';

/** Milliseconds since the epoch. Passed in, so that a test can stand at any minute. */
export type Clock = () => number;

/** What pino offers, as far as the cashier uses it. Never given a key or an RPC URL. */
export interface PaymentLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** One EVM network that payments are taken on, settled by a key of ours. */
export interface EvmPaymentNetwork {
  /** CAIP-2, `eip155:8453`. */
  network: `eip155:${number}`;
  chainId: number;
  /** Tried in this order. They may carry API keys: they are never logged and never leave the process. */
  rpcUrls: readonly string[];
  /** Hot key that pays the gas. */
  facilitatorKey: Hex;
  payTo: Address;
  /** USDC of that chain. */
  asset: Address;
  /** The asset's EIP-712 domain; compared with the contract's own at start. */
  domain: { name: string; version: string };
}

/** Solana, settled by a key of ours that pays the fees. */
export interface SvmPaymentNetwork {
  /** CAIP-2, by genesis hash. */
  network: `solana:${string}`;
  /** As for EVM. */
  rpcUrls: readonly string[];
  /** Hot key of the fee payer: base58 of 64 bytes. */
  facilitatorKey: string;
  /** The wallet; its token account for `asset` must exist. */
  payTo: string;
  /** The mint of USDC. */
  asset: string;
}

/** A network that payments are taken on. */
export type PaymentNetwork = EvmPaymentNetwork | SvmPaymentNetwork;

export const isSvm = (network: PaymentNetwork): network is SvmPaymentNetwork => network.network.startsWith('solana:');

/** What one procedure costs and how its 402 describes it. */
export interface PaidOffer {
  paid: PaidName;
  /** Decimal US dollars, `0.02`; USDC counts as one dollar each. */
  priceUsd: string;
  /** Calls of one group share one free first call per wallet; absent: every call is paid. */
  trialGroup?: string;
  resource: { url: string; description: string; mimeType: string };
  /** x402 extensions by name (bazaar and its like), sent with the 402 as they are. */
  extensions?: Record<string, unknown>;
}

export interface CashierTimings {
  /** How long a client may take between our 402 and its payment; 120 to 300 s suits hardware wallets. */
  maxTimeoutSeconds: number;
  /** A payment that expires sooner than this is refused: it could run out while it is being mined. */
  expiryMarginSeconds: number;
  /** How long one request waits for its settlement before it is told 503; the settlement runs on. */
  settleDeadlineMs: number;
  /** How long an identical request waits for the answer of the first one. */
  joinDeadlineMs: number;
  /** Between two looks for a receipt. */
  receiptPollMs: number;
  /** A transaction that waits longer is priced anew, if the chain has become dearer. */
  bumpAfterMs: number;
  /** How long `close` waits for settlements before it leaves them to the next start. */
  closeGraceMs: number;
  /** One RPC request. */
  rpcTimeoutMs: number;
}

export const defaultTimings: CashierTimings = {
  maxTimeoutSeconds: 180,
  expiryMarginSeconds: 10,
  settleDeadlineMs: 30_000,
  joinDeadlineMs: 60_000,
  receiptPollMs: 150,
  bumpAfterMs: 15_000,
  closeGraceMs: 10_000,
  rpcTimeoutMs: 8_000,
};

export interface CashierConfig {
  /** Offered in the order base, polygon, arbitrum, solana, whatever the order here. */
  networks: readonly PaymentNetwork[];
  offers: readonly PaidOffer[];
  ledger: PaymentLedger;
  now: Clock;
  logger: PaymentLogger;
  /**
   * Asked once for each paid try, after its signature was found good and before anything is sent.
   * Seconds to wait when this wallet has asked too often; undefined lets it pass.
   */
  limitPayer?: (payer: string) => number | undefined;
  timings?: Partial<CashierTimings>;
}
