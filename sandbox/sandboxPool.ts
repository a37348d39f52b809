import type { Address, Hex } from 'viem';

export type SandboxChainName = 'base' | 'polygon' | 'arbitrum';

/** A seeded pool. `pool` is its address; on v4 its id. `key` is present only on v4. */
export interface SandboxPool {
  chain: SandboxChainName;
  /** Venue id as in the API: `uniswap-v3`, `pancakeswap-v3`, `aerodrome`, `aerodrome-slipstream`, `quickswap-v3` … */
  venue: string;
  pool: Hex;
  token0: Address;
  token1: Address;
  key?: { currency0: Address; currency1: Address; fee: number; tickSpacing: number; hooks: Address };
}
