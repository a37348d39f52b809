import type { LowerAddress } from '../lowerAddress.ts';
import { LruMap } from '../lruMap.ts';
import type { PoolCreation } from '../pools/poolIndex.ts';
import type { LensReading } from '../quote/lensReading.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { CodeFacts } from './bytecode/codeFacts.ts';
import type { ExitMemory } from './exit/encodeRecheck.ts';
import type { RoleHolders } from './powers/roleHolders.ts';
import type { TradePlan } from './simulation/simulationTypes.ts';

/** Result of a check that lets the next one of the same token need only one read. */
export interface TokenMemory {
  code: CodeFacts;
  /** Pools from the factories' logs, up to which block those were read, and whether there are more pools than these. */
  pools: PoolCreation[];
  poolsTruncated: boolean;
  scannedTo: bigint | undefined;
  /** Accounts found in its storage when its code was read; undefined: not read. */
  accounts: readonly LowerAddress[] | undefined;
  /** Accounts that the token ever granted a role. */
  roles: RoleHolders;
  /** Pools in which trades were simulated, and the size of these trades. */
  sizeUsd: string;
  plans: TradePlan[];
  /** The token's pools, if the next check need not search for them. */
  exit: ExitMemory | undefined;
  /** The market of the quote at that size, if the next check need not search for it. */
  routes: LensReading | undefined;
  /** Result of the last trades that were simulated one by one. */
  trade: TransferFinding;
  /** Whether shared simulations are expected to give the same result. */
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
