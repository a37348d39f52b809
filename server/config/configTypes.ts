import type { Address, Hex } from 'viem';
import type { ChainName, RpcBudget } from '../../engine/index.ts';
import type { ConnectionLimit } from '../http/limits/connectionLimit.ts';
import type { TracesConfig } from '../observability/traces/createTraces.ts';
import type { RemoteFacilitator } from '../payments/index.ts';
import type { VendorConfig } from '../vendors/index.ts';
import type { PaidOn } from './facilitatorVariables.ts';

/** The configuration of both modes. */
export interface CommonConfig {
  /** 0 selects a free port. */
  port: number;
  host: string;
  /** Public URL of the service without a trailing slash; undefined: the listening address. */
  publicUrl: string | undefined;
  /** Contact address in the published documents. */
  contactEmail: string | undefined;
  /** Number of reverse proxies whose X-Forwarded-For entry is trusted. */
  trustedProxies: number;
  /** Open connections of each peer address; undefined: only their total is limited. */
  connections: ConnectionLimit | undefined;
  requestsPerMinutePerAddress: number;
  requestsPerMinutePerWallet: number;
  /** Gas budget for failed settlements of all contract wallets together, in US dollars per hour. */
  contractWalletGasUsdPerHour: number;
  /** Maximum free calls of one client address per UTC day; undefined: no limit. */
  freeTrialsPerIp: number | undefined;
  /** CAIP-2 chains where a preconfirmed receipt counts as settled. */
  preconfirmedNetworks: readonly string[];
  /** CAIP-2 ids of the payment networks that are offered first. */
  preferredNetworks: readonly string[];
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** Trial groups with a free first call per wallet; see a procedure's `trialGroup`. */
  freeTrialGroups: readonly string[];
  /** Folder of the embedded database. */
  dataDir: string;
  /** Days for which answer bodies are stored for replays. Payments are never deleted. */
  answerRetentionDays: number;
  /** Versions of the executor for which no transaction is built. */
  withdrawnExecutors: readonly number[];
  /** Deadline of one answer in milliseconds. */
  deadlineMs: number;
  freshnessMs: Record<ChainName, number>;
  /** Listening address of the metrics; undefined: disabled. Port 0 selects a free port. */
  metricsAt: { host: string; port: number } | undefined;
  /** Destination of trace spans; undefined: disabled. */
  traces: TracesConfig | undefined;
}

interface SandboxConfig extends CommonConfig {
  mode: 'sandbox';
}

export interface LiveConfig extends CommonConfig {
  mode: 'live';
  /** RPC URLs, best first. They may contain API keys: never log or send them. */
  rpcUrls: Partial<Record<ChainName, readonly string[]>>;
  /** Rate limit of each RPC URL per second, in the order of the URLs. */
  rpcBudgets: Partial<Record<ChainName, readonly RpcBudget[]>>;
  /** URL of the PostgreSQL database that replicas share; undefined: SQLite in `dataDir`. It may contain a password. */
  databaseUrl: string | undefined;
  payToEvm: Address;
  facilitatorKeyEvm?: Hex;
  /** Seed of the Ed25519 key that signs receipts; undefined: answers have no receipt. */
  receiptKey?: Hex;
  /** Undefined: no payments on Solana. */
  solana?: { rpcUrls: readonly string[]; payTo: string; facilitatorKey?: string };
  /** Remote facilitators by payment network. On the other networks this service settles with its own key. */
  remotes: Partial<Record<PaidOn, RemoteFacilitator>>;
  vendors: VendorConfig;
}

export type Config = SandboxConfig | LiveConfig;
