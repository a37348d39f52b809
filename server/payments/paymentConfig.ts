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

/** Measures one operation on a network; resolves and rejects like the operation. `ended` names its result. */
export type PaymentWatch = <T>(
  phase: 'verify' | 'settle',
  network: string,
  work: () => Promise<T>,
  ended: (value: T) => string,
) => Promise<T>;

/** A facilitator run by a third party, over HTTP. */
export interface RemoteFacilitator {
  /** Base of `/verify`, `/settle` and `/supported`, without a trailing slash. May contain a key: never logged or sent. */
  url: string;
  /** Sent with every request to this facilitator only. */
  headers?: Readonly<Record<string, string>>;
  /** Signs each request for Coinbase's Developer Platform. */
  cdp?: CdpKey;
}

/** Settlement with our own hot key, which pays the gas, or through a remote facilitator. */
export type Settler<Key> =
  | { facilitatorKey: Key; remote?: undefined }
  | { remote: RemoteFacilitator; facilitatorKey?: undefined };

/** Instruments an endpoint. `position` is the position of its URL, from 1. */
type WatchRpc = (endpoint: RpcEndpoint, position: number) => RpcEndpoint;

/** Sources for the cost of settlement gas in US dollars. Gas must cost less than the call. */
export interface NativePricing {
  /** Chainlink's feed of the native coin in US dollars; a round older than `heartbeatSeconds` is stale. */
  feed: { address: Address; heartbeatSeconds: number };
  /** GasPriceOracle of OP Stack chains, which charge for L1 data in addition to gas. */
  l1FeeOracle?: Address;
}

/** One EVM network on which payments are accepted. */
export type EvmNetworkConfig = EvmTerms & Settler<Hex>;

interface EvmTerms {
  /** CAIP-2, `eip155:8453`. */
  network: `eip155:${number}`;
  chainId: number;
  /** Used in this order. They may contain API keys, so they are never logged or sent to clients. */
  rpcUrls: readonly string[];
  /** Instruments the requests to each endpoint; optional. */
  watchRpc?: WatchRpc;
  payTo: Address;
  /** The chain's USDC contract. */
  asset: Address;
  /** Only used if our own key settles. */
  pricing: NativePricing;
  /** The asset's EIP-712 domain; compared with `DOMAIN_SEPARATOR()` at start. */
  domain: { name: string; version: string };
}

/** Solana. `facilitatorKey` is base58 of 64 bytes (seed, public key); its account pays the fees. */
export type SvmNetworkConfig = SvmTerms & Settler<string>;

interface SvmTerms {
  /** CAIP-2, with the first half of the genesis hash. */
  network: `solana:${string}`;
  /** @see EvmTerms.rpcUrls */
  rpcUrls: readonly string[];
  /** @see EvmTerms.watchRpc */
  watchRpc?: WatchRpc;
  /** The receiving wallet; its token account for `asset` must exist. */
  payTo: string;
  /** The mint of USDC. */
  asset: string;
}

/** A network on which payments are accepted. */
export type PaymentNetworkConfig = EvmNetworkConfig | SvmNetworkConfig;

export const isSvm = (network: PaymentNetworkConfig): network is SvmNetworkConfig =>
  network.network.startsWith('solana:');

/** Price of one procedure, and its description for the 402. */
export interface PaidOffer {
  paid: PaidName;
  /** Decimal US dollars, `0.02`; one USDC counts as one dollar. */
  priceUsd: string;
  /** Group whose calls share one free call per wallet; absent: every call is paid. */
  trialGroup?: string;
  resource: { url: string; description: string; mimeType: string; serviceName?: string };
  /** x402 extensions by name, such as `bazaar`, sent unchanged with the 402. */
  extensions?: Record<string, unknown>;
}

export interface PaymentTimings {
  /** x402's `maxTimeoutSeconds`: time from our 402 to the payment; 120 to 300 s suits hardware wallets. */
  maxTimeoutSeconds: number;
  /** A payment that expires sooner than this is refused: it could expire before a block includes it. */
  expiryMarginSeconds: number;
  /** How long one request waits for its settlement before it gets 503; the settlement continues. */
  settleDeadlineMs: number;
  /** How long a payment waits for other payments of its wallet before it gets 429. */
  turnDeadlineMs: number;
  /** Interval at which a waiting payment reads whether payments of its wallet ended in another replica. */
  turnPollMs: number;
  /** How long an identical request waits for the answer of the first one. */
  joinDeadlineMs: number;
  /** Interval between polls for a receipt, shorter than the blocks of any offered chain. */
  receiptPollMs: number;
  /** A transaction that is pending longer gets a higher fee, if the chain's fees have risen; earlier on fast chains. */
  bumpAfterMs: number;
  /** How long `close` waits for settlements before it leaves them to the next start. */
  closeGraceMs: number;
  /** Interval at which payments that a stopped replica or an outage left unfinished are recovered. */
  reconcileMs: number;
  /** Timeout of one RPC request. */
  rpcTimeoutMs: number;
  /** Timeout of one request to a remote facilitator, except for settle requests. */
  facilitatorTimeoutMs: number;
  /** Timeout of a settle request, for which a facilitator waits for the chain. Then only the chain is polled. */
  facilitatorSettleTimeoutMs: number;
  /** Interval at which served payments are rechecked on chain. */
  recheckMs: number;
  /** Interval at which an idle service reads whether its networks can settle. */
  gasWatchMs: number;
  /** The same interval while calls arrive, and for a network that cannot settle. */
  offerCheckMs: number;
  /** Interval at which a remote facilitator's fee payer is read. */
  offerRefreshMs: number;
}

export const defaultTimings: PaymentTimings = {
  maxTimeoutSeconds: 180,
  expiryMarginSeconds: 10,
  settleDeadlineMs: 30_000,
  turnDeadlineMs: 15_000,
  turnPollMs: 200,
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
  offerCheckMs: 4_000,
};

/** US dollars an hour: at most 12 a day, and enough for at least ten concurrent settlements. */
export const defaultContractWalletGasUsdPerHour = 0.5;

export interface PaymentConfig {
  /** Offered in the order base, polygon, arbitrum, solana. */
  networks: readonly PaymentNetworkConfig[];
  /** CAIP-2 ids of the networks that are offered first, in this order. */
  preferredNetworks?: readonly string[];
  offers: readonly PaidOffer[];
  ledger: PaymentLedger;
  now: Clock;
  logger: PaymentLogger;
  /**
   * Called once for each attempt, after its signature was verified and before anything is sent.
   * Returns the seconds to wait if this wallet exceeds its rate limit.
   */
  limitPayer?: (payer: string) => number | undefined;
  /** Measures the durations and results of verifying and settling. */
  watch?: PaymentWatch;
  /** Free calls for one client IP address in a UTC day; absent: no limit. */
  freeTrialsPerIp?: number;
  /** CAIP-2 ids of networks where a preconfirmed receipt counts. Elsewhere its block must be `latest` or older. */
  preconfirmedNetworks?: readonly string[];
  /** Called for each event that a metric counts. */
  onEvent?: OnPaymentEvent;
  /** Gas budget for failed settlements of all contract wallets together, in US dollars an hour. */
  contractWalletGasUsdPerHour?: number;
  timings?: Partial<PaymentTimings>;
}
