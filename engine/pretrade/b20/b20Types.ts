import type { Hex } from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import type { LowerAddress } from '../../lowerAddress.ts';

/** What later calls depend on, as far as it is known. */
export interface B20Subjects {
  /** Accounts in the token's role logs. */
  accounts: readonly LowerAddress[];
  /** Pools and routers that move the token in a trade. */
  movers: readonly LowerAddress[];
}

/** Results of the calls so far. */
export interface KnownCalls {
  token: LowerAddress;
  wallet: LowerAddress;
  result(call: ContractRead): Hex | 'reverted' | 'unread' | undefined;
}
