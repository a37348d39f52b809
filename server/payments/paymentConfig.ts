import type { Address, Hex } from 'viem';
import type { RpcEndpoint } from '../rpc/index.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';
import type { CdpKey } from './networks/remote/cdpToken.ts';
import type { OnPaymentEvent } from './paymentEvents.ts';
import type { PaidName } from './paymentTypes.ts';

/** Milliseconds since the epoch; a dependency, so that tests can set it. */
export type Clock = () => number;

/** The part of pino that payments use. Never receives a key or an RPC URL. */
export interface PaymentLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Measures one operation on a network; resolves and rejects as the operation does. */
export type PaymentWatch = <T>(
  phase: 'verify' | 'settle',
  network: string,
  work: () => Promise<T>,
  ended: (value: T) => string,
) => Promise<T>;

/** A facilitator run by a third party, over HTTP. */
export interface RemoteFacilitator {
  /** Without a trailing slash; `/verify`, `/settle` and `/supported` lie beneath. May carry a key: never logged or sent. */
  url: string;
  /** Sent with every request to it, and nowhere else. */
  headers?: Readonly<Record<string, string>>;
  /** Signs each request for Coinbase's Developer Platform. */
  cdp?: CdpKey;
}

/** Settlement with our own hot key, which pays the gas, or through a remote facilitator. */
export type Settler<Key> =
  | { facilitatorKey: Key; remote?: undefined }
  | { remote: RemoteFacilitator; facilitatorKey?: undefined };

/** Instruments an endpoint. `position` is that of its URL, from 1. */
type WatchRpc = (endpoint: RpcEndpoint, position: number) => RpcEndpoint;

/** Sources for the cost of settlement gas in US dollars. Gas must cost less than the call. */
export interface NativePricing {
  /** Chainlink's feed of the native coin in US dollars; an answer older than `heartbeatSeconds` is stale. */
  feed: { address: Address; heartbeatSeconds: number };
  /** GasPriceOracle of OP Stack chains, which charge for L1 data beside the gas. */
  l1FeeOracle?: Address;
}

/** One EVM network that payments are taken on. */
export type EvmNetworkConfig = EvmTerms & Settler<Hex>;

interface EvmTerms {
  /** CAIP-2, `eip155:8453`. */
  network: `eip155:${number}`;
  chainId: number;
  /** Tried in this order. They may carry API keys: they are never logged and never leave the process. */
  rpcUrls: readonly string[];
  /** Instruments the requests to each endpoint; optional. */
  watchRpc?: WatchRpc;
  payTo: Address;
  /** USDC of that chain. */
  asset: Address;
  /** Used where our own key settles. */
  pricing: NativePricing;
  /** The asset's EIP-712 domain; compared with the contract's own at start. */
  domain: { name: string; version: string };
}

/** Solana. A key is base58 of 64 bytes, and pays the fees. */
export type SvmNetworkConfig = SvmTerms & Settler<string>;

interface SvmTerms {
  /** CAIP-2, by genesis hash. */
  network: `solana:${string}`;
  /** As for EVM. */
  rpcUrls: readonly string[];
  /** As for EVM. */
  watchRpc?: WatchRpc;
  /** The wallet; its token account for `asset` must exist. */
  payTo: string;
  /** The mint of USDC. */
  asset: string;
}

/** A network that payments are taken on. */
export type PaymentNetworkConfig = EvmNetworkConfig | SvmNetworkConfig;

export const isSvm = (network: PaymentNetworkConfig): network is SvmNetworkConfig =>
  network.network.startsWith('solana:');

/** What one procedure costs and how its 402 describes it. */
export interface PaidOffer {
  paid: PaidName;
  /** Decimal US dollars, `0.02`; USDC counts as one dollar each. */
  priceUsd: string;
  /** Calls of one group share one free first call per wallet; absent: every call is paid. */
  trialGroup?: string;
  resource: {
    url: string;
    description: string;
    mimeType: string;
    serviceName?: string;
    tags?: string[];
    iconUrl?: string;
  };
  /** x402 extensions by name (bazaar and its like), sent with the 402 as they are. */
  extensions?: Record<string, unknown>;
}

export interface PaymentTimings {
  /** How long a client may take between our 402 and its payment; 120 to 300 s suits hardware wallets. */
  maxTimeoutSeconds: number;
  /** A payment that expires sooner than this is refused: it could run out while it is being mined. */
  expiryMarginSeconds: number;
  /** How long one request waits for its settlement before it gets 503; the settlement continues. */
  settleDeadlineMs: number;
  /** How long a payment waits for others of its wallet before it gets 429. */
  turnDeadlineMs: number;
  /** Interval at which it looks for payments that ended in another replica. */
  turnPollMs: number;
  /** How long an identical request waits for the answer of the first one. */
  joinDeadlineMs: number;
  /** Between two polls for a receipt. */
  receiptPollMs: number;
  /** A transaction that waits longer gets a higher fee, if the chain's fees have risen. */
  bumpAfterMs: number;
  /** How long `close` waits for settlements before it leaves them to the next start. */
  closeGraceMs: number;
  /** Interval at which payments that a dead replica or an outage left unfinished are recovered. */
  reconcileMs: number;
  /** One RPC request. */
  rpcTimeoutMs: number;
  /** One request to a remote facilitator, except for settling. */
  facilitatorTimeoutMs: number;
  /** A remote facilitator waits for the chain. A request that takes longer is unknown, and the chain is polled. */
  facilitatorSettleTimeoutMs: number;
  /** Interval at which served payments are rechecked on chain. */
  recheckMs: number;
  /** Interval at which the gas balances are read. */
  gasWatchMs: number;
  /** Interval at which a remote facilitator's fee payer is read. */
  offerRefreshMs: number;
}

export const defaultTimings: PaymentTimings = {
  maxTimeoutSeconds: 180,
  expiryMarginSeconds: 10,
  settleDeadlineMs: 30_000,
  turnDeadlineMs: 15_000,
  turnPollMs: 1_000,
  joinDeadlineMs: 60_000,
  receiptPollMs: 150,
  bumpAfterMs: 15_000,
  closeGraceMs: 10_000,
  reconcileMs: 10_000,
  rpcTimeoutMs: 8_000,
  facilitatorTimeoutMs: 8_000,
  facilitatorSettleTimeoutMs: 60_000,
  offerRefreshMs: 60_000,
  recheckMs: 5_000,
  gasWatchMs: 60_000,
};

/** At most 12 US dollars a day; enough for at least ten settlements at once. */
export const defaultContractWalletGasUsdPerHour = 0.5;

export interface PaymentConfig {
  /** Offered in the order base, polygon, arbitrum, solana, whatever the order here. */
  networks: readonly PaymentNetworkConfig[];
  offers: readonly PaidOffer[];
  ledger: PaymentLedger;
  now: Clock;
  logger: PaymentLogger;
  /**
   * Called once for each paid attempt, after its signature was verified and before anything is sent.
   * Returns the seconds to wait when this wallet exceeds its rate limit.
   */
  limitPayer?: (payer: string) => number | undefined;
  /** Measures how long verifying and settling take, and their results; optional. */
  watch?: PaymentWatch;
  /** Free calls of one client address and UTC day; absent: no limit. */
  freeTrialsPerIp?: number;
  /** CAIP-2: where a preconfirmed receipt counts as settled; elsewhere its block must be the node's `latest` or older. */
  preconfirmedNetworks?: readonly string[];
  /** Called for events that metrics count. */
  onEvent?: OnPaymentEvent;
  /** Gas budget for failed settlements of all contract wallets together, in US dollars an hour. */
  contractWalletGasUsdPerHour?: number;
  timings?: Partial<PaymentTimings>;
}
