import type { LowerAddress } from '../lowerAddress.ts';
import { LruMap } from '../lruMap.ts';
import type { PoolCreation } from '../pools/poolIndex.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { B20Memory } from './b20/b20Ledger.ts';
import type { CodeFacts } from './bytecode/codeFacts.ts';
import type { ExitMemory } from './exit/encodeRecheck.ts';
import type { RoleHolders } from './powers/roleHolders.ts';
import type { TradePlan } from './simulation/simulationTypes.ts';
import type { Waits } from './simulation/waiting.ts';

/** Facts that a check keeps, so that the next check of the same token needs only one read. */
export interface TokenMemory {
  code: CodeFacts;
  /** Pools from the factories' logs. */
  pools: PoolCreation[];
  /** Whether the logs contain more pools than these. */
  poolsTruncated: boolean;
  /** The block up to which the logs were read. */
  scannedTo: bigint | undefined;
  /** Accounts found in the token's storage when its code was read; undefined: not read. */
  accounts: readonly LowerAddress[] | undefined;
  /** Accounts that the token ever granted a role. */
  roles: RoleHolders;
  /** Reads of a B20 token that its next check repeats at once. */
  b20: B20Memory | undefined;
  /** Pools in which trades were simulated, and the size of these trades. */
  sizeUsd: string;
  plans: TradePlan[];
  /** The token's pools, if the next check need not search for them. */
  exit: ExitMemory | undefined;
  /** Result of the last trades that were simulated one by one. */
  trade: TransferFinding;
  /** As in `TokenReading`. */
  othersWait: Waits;
  /** Whether trades may share a simulation: with this token they have the same results as in separate simulations. */
  tradesShare: boolean;
}

export function createTokenMemories(limit = 5_000) {
  const memories = new LruMap<string, TokenMemory>(limit);
  return {
    recall: (token: LowerAddress): TokenMemory | undefined => memories.get(token),
    remember: (token: LowerAddress, memory: TokenMemory): void => memories.set(token, memory),
    forget: (token: LowerAddress): void => memories.delete(token),
  };
}

export type TokenMemories = ReturnType<typeof createTokenMemories>;
