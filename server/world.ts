import type { Hex } from 'viem';
import type { ChainName, EnginePorts } from '../engine/index.ts';
import type { SandboxBody } from '../router/index.ts';
import type { PaymentNetwork } from './payments/index.ts';
import type { DatabasePlace } from './storage/index.ts';
import type { VendorConfig } from './vendors/index.ts';

/** What a mode brings along: the chains, where and by whom payments are settled, and where it is remembered. */
export interface World {
  rpcUrls: Partial<Record<ChainName, readonly string[]>>;
  payments: readonly PaymentNetwork[];
  /** Where all is remembered. */
  database: DatabasePlace;
  /** Seed of the key that signs receipts; absent: answers carry none. */
  receiptKey?: Hex;
  /** Who is asked about holders, age and markets on Base. */
  vendors: VendorConfig;
  extraV4Shapes?: NonNullable<EnginePorts['extraV4Shapes']>;
  extraVenues?: NonNullable<EnginePorts['extraVenues']>;
  /** What `GET /sandbox` tells; absent in live mode. */
  sandbox?: SandboxBody;
  close(): Promise<void>;
}
