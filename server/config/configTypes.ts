import type { Address, Hex } from 'viem';
import type { ChainName } from '../../engine/index.ts';
import type { TracesConfig } from '../observability/traces/createTraces.ts';
import type { RemoteFacilitator } from '../payments/index.ts';
import type { VendorConfig } from '../vendors/index.ts';
import type { PaidOn } from './facilitatorVariables.ts';

export interface CommonConfig {
  /** 0 uses a free port. */
  port: number;
  host: string;
  /** URL where clients reach the service, without a trailing slash; undefined: the listening address. */
  publicUrl: string | undefined;
  /** Contact address in the published documents. */
  contactEmail: string | undefined;
  /** Number of trusted proxies, for the client's address. */
  trustedProxies: number;
  requestsPerMinutePerAddress: number;
  requestsPerMinutePerWallet: number;
  /** Gas budget for failed settlements of all contract wallets together, in US dollars an hour. */
  contractWalletGasUsdPerHour: number;
  /** Free calls of one client address and UTC day; undefined: no limit. */
  freeTrialsPerIp: number | undefined;
  /** CAIP-2 chains where a preconfirmed receipt counts as settled. */
  preconfirmedNetworks: readonly string[];
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** Trial groups with a free first call per wallet; see a procedure's `trialGroup`. */
  freeTrialGroups: readonly string[];
  /** Folder of the embedded database. */
  dataDir: string;
  /** Retention of answer bodies for replays; their payments are kept permanently. */
  answerRetentionDays: number;
  /** Deadline of one answer. */
  deadlineMs: number;
  freshnessMs: Record<ChainName, number>;
  /** Listening address of the metrics; undefined: disabled. Port 0 uses a free one. */
  metricsAt: { host: string; port: number } | undefined;
  /** Destination of trace spans; undefined: disabled. */
  traces: TracesConfig | undefined;
}

interface SandboxConfig extends CommonConfig {
  mode: 'sandbox';
}

export interface LiveConfig extends CommonConfig {
  mode: 'live';
  /** In order of preference. URLs may contain API keys: never log or send them. */
  rpcUrls: Partial<Record<ChainName, readonly string[]>>;
  /** PostgreSQL shared by replicas; undefined: the embedded database in `dataDir`. May contain a password. */
  databaseUrl: string | undefined;
  payToEvm: Address;
  facilitatorKeyEvm?: Hex;
  /** Seed of the Ed25519 key that signs receipts; undefined: answers have no receipt. */
  receiptKey?: Hex;
  /** Undefined: no payments on Solana. */
  solana?: { rpcUrls: readonly string[]; payTo: string; facilitatorKey?: string };
  /** Remote facilitators that settle in place of our own key. */
  remotes: Partial<Record<PaidOn, RemoteFacilitator>>;
  vendors: VendorConfig;
}

export type Config = SandboxConfig | LiveConfig;
