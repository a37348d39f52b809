import type { Address, Hex } from 'viem';
import type { ChainName } from '../../engine/index.ts';
import type { TracesConfig } from '../observability/traces/createTraces.ts';
import type { RemoteFacilitator } from '../payments/index.ts';
import type { VendorConfig } from '../vendors/index.ts';
import type { PaidOn } from './facilitatorVariables.ts';

export interface CommonConfig {
  /** 0 takes a free port. */
  port: number;
  host: string;
  /** Where clients reach the service, without a trailing slash; absent: the address listened on. */
  publicUrl: string | undefined;
  /** Whom users write to; stands in the published documents. */
  contactEmail: string | undefined;
  /** How many proxies in front of us may be believed about the client's address. */
  trustedProxies: number;
  requestsPerMinutePerAddress: number;
  requestsPerMinutePerWallet: number;
  /** Gas budget for failed settlements of all contract wallets together, in US dollars an hour. */
  contractWalletGasUsdPerHour: number;
  /** Free calls of one client address and UTC day; undefined: no limit. */
  freeTrialsPerIp: number | undefined;
  /** CAIP-2: where a preconfirmed receipt counts as settled. */
  preconfirmedNetworks: readonly string[];
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** Whose first call by a wallet is free; see a procedure's `trialGroup`. */
  freeTrialGroups: readonly string[];
  /** Folder of the embedded database. */
  dataDir: string;
  /** How long the bodies of answers are kept for replays; their payments are kept for ever. */
  answerRetentionDays: number;
  /** Longest time one answer may take. */
  deadlineMs: number;
  freshnessMs: Record<ChainName, number>;
  /** Where metrics are served; absent: nowhere. Port 0 takes a free one. */
  metricsAt: { host: string; port: number } | undefined;
  /** Where spans are sent; absent: there are none. */
  traces: TracesConfig | undefined;
}

interface SandboxConfig extends CommonConfig {
  mode: 'sandbox';
}

export interface LiveConfig extends CommonConfig {
  mode: 'live';
  /** Best first. They may carry API keys: never logged, never sent. */
  rpcUrls: Partial<Record<ChainName, readonly string[]>>;
  /** PostgreSQL that replicas share; absent: the embedded database in `dataDir`. It may carry a password. */
  databaseUrl: string | undefined;
  payToEvm: Address;
  facilitatorKeyEvm?: Hex;
  /** Seed of the Ed25519 key that signs receipts; absent: answers carry none. */
  receiptKey?: Hex;
  /** Absent: payments are not taken there. */
  solana?: { rpcUrls: readonly string[]; payTo: string; facilitatorKey?: string };
  /** Remote facilitators that settle in place of our own key. */
  remotes: Partial<Record<PaidOn, RemoteFacilitator>>;
  vendors: VendorConfig;
}

export type Config = SandboxConfig | LiveConfig;
