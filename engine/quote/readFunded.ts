import type { BlockPace } from '../chain/blockPace.ts';
import { type LensCaller, randomNumber } from '../chain/lensCall.ts';
import type { Node } from '../chain/node.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { PoolHints } from '../pools/poolHints.ts';
import type { StateSource } from '../pools/stateSource.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import type { FeeModules } from './feeModules.ts';
import type { PoolSearcher } from './foundPools.ts';
import { findFunding } from './funding/findFunding.ts';
import type { FundingMemory, KnownFunding } from './funding/fundingMemory.ts';
import type { MarketMemory } from './marketMemory.ts';
import type { ExecutorMemory } from './transaction/executorState.ts';

/** Data and caches of one chain. */
export interface ChainData {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  lens: LensCaller;
  states: StateSource;
  funding: FundingMemory;
  markets: MarketMemory;
  found: PoolSearcher;
  hints: PoolHints;
  feeModules: FeeModules;
  pace: BlockPace;
  /** Undefined: plans are executed at random addresses only. */
  executor?: ExecutorMemory | undefined;
  /** See `EnginePorts`. */
  oldBlockMs: number | undefined;
}

/**
 * How accounts are funded with a token, from memory or from the node.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function loadFunding(
  data: Pick<ChainData, 'deployment' | 'funding'>,
  node: Node,
  token: LowerAddress,
): Promise<KnownFunding | undefined> {
  const known = data.funding.find(token);
  if (known !== undefined) return known;
  const found = await findFunding(node, token);
  if (found !== undefined) data.funding.remember(token, found);
  return found;
}

/** Whether the token has no transfer tax: a pricing asset. */
export function isTrusted({ pricingAssets }: Deployment, token: LowerAddress): boolean {
  return pricingAssets.some(({ address }) => address === token);
}

/** 256 random bits. */
export const newSalt = (): bigint => randomNumber(32);
