import type { Address, Hex } from 'viem';

export type SandboxChainName = 'base' | 'polygon' | 'arbitrum';

/** A seeded pool. `pool` is its address, or the pool id on v4; `key` is there on v4 only. */
export interface SandboxPool {
  chain: SandboxChainName;
  /** Venue ids as on the wire: `uniswap-v3`, `pancakeswap-v3`, `aerodrome`, `aerodrome-slipstream`, `quickswap-v3` … */
  venue: string;
  pool: Hex;
  token0: Address;
  token1: Address;
  key?: { currency0: Address; currency1: Address; fee: number; tickSpacing: number; hooks: Address };
}
