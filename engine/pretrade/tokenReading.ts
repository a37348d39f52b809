import type { Hex } from 'viem';
import type { BlockRef } from '../chain/blockRef.ts';
import type { NodeFault } from '../chain/chainState.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { FeedReading } from '../pools/decodeStates.ts';
import type { PoolCreation, PoolIndex } from '../pools/poolIndex.ts';
import type { ChainData } from '../quote/chainData.ts';
import type { MarketRead } from '../quote/market/prepareMarket.ts';
import type { QuoteQuery } from '../quote/quoteTypes.ts';
import type { B20Reading } from './b20/b20Facts.ts';
import type { CodeFacts, CodeMemory } from './bytecode/codeMemory.ts';
import type { CalledContracts } from './bytecode/readCode.ts';
import type { ExitReading, LoggedPool } from './exit/exitTypes.ts';
import type { RecalledPools } from './exit/recallPools.ts';
import type { PowerFinding } from './powers/powerMemory.ts';
import type { RoleHolders } from './powers/roleHolders.ts';
import type { Reach } from './reach/reachValue.ts';
import type { ScenarioResult, SimulationBase, TradePlan } from './simulation/simulationTypes.ts';
import type { Waits } from './simulation/waiting.ts';
import type { TokenMemories } from './tokenMemory.ts';

/** What the engine keeps of Base for the check. */
export interface PretradeEnvironment {
  data: ChainData;
  /** The chain's configuration in calls of the exit lens. */
  exitConfig: Hex;
  /** The same for a call that searches no pool and reads no base asset. */
  poolsConfig: Hex;
  holders: readonly { name: string; address: LowerAddress; covered: boolean }[];
  /** Every pool by its factory's log, read in the background; undefined: there is no index. */
  pools: PoolIndex | undefined;
  memories: TokenMemories;
  codes: CodeMemory;
  head: HeadMemory;
  onNodeFault: ((fault: NodeFault) => void) | undefined;
}

/** Everything that one check read from the chain, at one block. */
export interface TokenReading {
  /** The block of all reads. Another node may have another block of the same number. */
  block: BlockRef;
  exit: ExitReading;
  /** The market for USDC -> token; undefined: it was not read at this block. */
  market: MarketRead | undefined;
  /** The token's own price feed, where it is not a base asset's. */
  feed: FeedReading | undefined;
  code: CodeFacts | undefined;
  /** Contracts that transfers call. */
  calledContracts: CalledContracts;
  known: LoggedPool[];
  /** Pools in the factories' logs that are also candidate pools. */
  listed: LoggedPool[];
  /** Creation logs of the token's pools, for its next check. */
  creations: PoolCreation[];
  creationsTruncated: boolean;
  /** Unlisted pools that were found in logs and not measured. */
  dropped: LoggedPool[];
  enumerated: Enumerated;
  /** Pools that only third parties listed. */
  hinted: HintedReading;
  /** What the counter-assets without a price pay; undefined: not needed for a verdict. */
  reach: Reach | undefined;
  outside: OutsidePair[];
  /** The part by which a sale in the best pool pays less a day later; null: the pool has no hook, or it was not measured. */
  laterSaleLoss: number | null;
  plans: TradePlan[];
  scenarios: ScenarioResult[];
  /** Its pools were known from an earlier reading; no factory was queried for others. */
  rechecked: boolean;
  /** The measured exit liquidity is below the threshold of a verdict. */
  isThin: boolean;
  /** The scenarios shared simulations. */
  shared: boolean;
  /** The waits of scenarios other than the small trade (`waitsNeeded`). */
  othersWait: Waits;
  /** For the next check of the same token. */
  accounts: readonly LowerAddress[] | undefined;
  roles: RoleHolders;
  powers: PowerFinding;
  /** Facts of a token with the address shape of B20, and what its next check reads at once; undefined for others. */
  b20: B20Reading | undefined;
}

/** Whether the factories' logs contain every pool of the token; else the reason, and how far the index is. */
export type Enumerated = { ok: true } | { ok: false; reason: string; index: RecalledPools['index'] };

/** Pools that the chain confirmed, but that the index and the logs lack, and the third parties that answered or failed. */
export interface HintedReading {
  pools: readonly LoggedPool[];
  answered: readonly string[];
  failed: readonly string[];
}

export interface ReadOptions {
  token: LowerAddress;
  sizeUsd: string;
  /** The quote of the check: USDC for the token. */
  marketQuery: QuoteQuery;
  now: number;
}

/** Whether both lenses read the same decimals; true if only one of them was read. */
export const decimalsAgree = ({ exit, market }: Pick<TokenReading, 'exit' | 'market'>): boolean =>
  !market || market.read.states.tokens[1]?.decimals === exit.decimals;

/** The last head seen, from which the current one is predicted. */
export interface HeadMemory extends Omit<SimulationBase, 'block'> {
  /** Milliseconds since the epoch at which it was read. */
  seenAt: number;
}

/** A contract outside the covered factories that answers like a pair of the token. */
export interface OutsidePair {
  pool: LowerAddress;
  counter: LowerAddress;
  /** Balance of the counter-asset. Base units. */
  balance: bigint;
  /** What a simulated sale draws there; undefined: no sale could be simulated. Base units. */
  drawn: bigint | undefined;
}
