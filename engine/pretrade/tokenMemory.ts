import type { LowerAddress } from '../lowerAddress.ts';
import { Memory } from '../memory.ts';
import type { PoolCreation } from '../pools/poolIndex.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { B20Memory } from './b20/b20Ledger.ts';
import type { CodeFacts } from './bytecode/codeMemory.ts';
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

export type TokenMemories = Memory<LowerAddress, TokenMemory>;

const maxTokens = 5_000;
const maxBytes = 64 * 2 ** 20;

/** Estimate: anyone can create a token with thousands of functions, pools or accounts. */
function bytesOf({ code, pools, accounts, roles, plans, exit }: TokenMemory): number {
  const holders = roles.status === 'read' ? roles.addresses.length : 0;
  const addresses = (accounts?.length ?? 0) + holders + code.constants.length;
  const structures = (code.functions?.length ?? 0) + pools.length + plans.length + (exit?.exits.length ?? 0);
  return 10_000 + addresses * 100 + structures * 600;
}

export const createTokenMemories = (): TokenMemories => new Memory({ maxEntries: maxTokens, maxBytes, bytesOf });
