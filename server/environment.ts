import type { Hex } from 'viem';
import type { ChainName, EnginePorts } from '../engine/index.ts';
import type { SandboxBody } from '../router/index.ts';
import type { PaymentNetworkConfig } from './payments/index.ts';
import type { DatabasePlace } from './storage/index.ts';
import type { VendorConfig } from './vendors/index.ts';

/** What differs between live and sandbox mode: RPCs, payment networks, database, vendors. */
export interface Environment {
  rpcUrls: Partial<Record<ChainName, readonly string[]>>;
  payments: readonly PaymentNetworkConfig[];
  database: DatabasePlace;
  /** Seed of the key that signs receipts; without it responses contain no receipt. */
  receiptKey?: Hex;
  /** Sources of holders, age and market data on Base. */
  vendors: VendorConfig;
  extraV4Shapes?: NonNullable<EnginePorts['extraV4Shapes']>;
  extraVenues?: NonNullable<EnginePorts['extraVenues']>;
  /** The body of `GET /sandbox`; absent in live mode. */
  sandbox?: SandboxBody;
  close(): Promise<void>;
}
