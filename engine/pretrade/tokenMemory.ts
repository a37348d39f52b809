import type { Address } from 'viem';
import { LruMap } from '../lruMap.ts';
import type { LensReading } from '../quote/lensReading.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { CodeFacts } from './bytecode/codeFacts.ts';
import type { ExitMemory } from './exit/encodeRecheck.ts';
import type { RoleHolders } from './powers/roleHolders.ts';
import type { PoolCreation } from './pretradePorts.ts';
import type { TradePlan } from './simulation/planScenarios.ts';

/** What one check leaves for the next of the same token, so that the next needs one read. */
export interface TokenMemory {
  code: CodeFacts;
  /** Pools from the factories' logs, up to which block those were read, and whether there are more pools than these. */
  pools: PoolCreation[];
  poolsTruncated: boolean;
  scannedTo: bigint | undefined;
  /** Accounts found in its storage when its code was read. */
  accounts: readonly Address[];
  /** Who was ever given a role by the token. */
  roles: RoleHolders;
  /** Where trades were simulated, and for which size. */
  sizeUsd: string;
  plans: TradePlan[];
  /** Its pools, where a repeat need not search for them. */
  exit: ExitMemory | undefined;
  /** The market of the quote at that size, where a repeat need not search for it. */
  routes: LensReading | undefined;
  /** What the last trades showed that were simulated one by one. */
  trade: TransferFinding;
  /** Whether trades in shared simulations may be expected to show the same. */
  tradesShare: boolean;
}

export function createTokenMemories(limit = 5_000) {
  const memories = new LruMap<string, TokenMemory>(limit);
  return {
    recall: (token: Address): TokenMemory | undefined => memories.get(token.toLowerCase()),
    remember: (token: Address, memory: TokenMemory): void => memories.set(token.toLowerCase(), memory),
    forget: (token: Address): void => memories.delete(token.toLowerCase()),
  };
}

export type TokenMemories = ReturnType<typeof createTokenMemories>;
