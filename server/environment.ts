import type { Hex } from 'viem';
import type { ChainName, EnginePorts, RpcBudget } from '../engine/index.ts';
import type { SandboxBody } from '../router/index.ts';
import type { PaymentNetworkConfig } from './payments/index.ts';
import type { DatabaseLocation } from './storage/index.ts';
import type { VendorConfig } from './vendors/index.ts';

/** The parts that differ between live and sandbox mode. `close` stops what the mode started. */
export interface Environment {
  rpcUrls: Partial<Record<ChainName, readonly string[]>>;
  /** What each RPC URL accepts a second, in the order of the URLs. Absent: learnt. */
  rpcBudgets?: Partial<Record<ChainName, readonly RpcBudget[]>>;
  payments: readonly PaymentNetworkConfig[];
  database: DatabaseLocation;
  /** Seed of the key that signs receipts. Without it, responses contain no receipt. */
  receiptKey?: Hex;
  /** Sources of holders, age and market data on Base. */
  vendors: VendorConfig;
  extraV4Shapes?: NonNullable<EnginePorts['extraV4Shapes']>;
  extraVenues?: NonNullable<EnginePorts['extraVenues']>;
  standInFactories?: NonNullable<EnginePorts['standInFactories']>;
  /** The body of `GET /sandbox`; absent in live mode. */
  sandbox?: SandboxBody;
  close(): Promise<void>;
}
