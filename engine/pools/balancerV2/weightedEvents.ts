import { type Address, type Hex, isHex, zeroAddress } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { toAddress } from '../../venues/eventWords.ts';
import { noHooks } from '../../venues/kinds.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { WeightedCreation } from '../poolIndex.ts';

/**
 * PoolCreated(address indexed pool), of a factory. The vault's events PoolRegistered and TokensRegistered do not name the
 * factory, and anyone can register a pool with code of their own.
 */
export const weightedTopic: Hex = '0x83a48fbcfc991335314e74d0496aab6a1987e992ddc85dddbcc4d6dd6ef2e9fc';

/** Balancer's factories of weighted pools. */
export const weightedFactoriesOf = ({ venues }: Pick<Deployment, 'venues'>): LowerAddress[] =>
  venues.flatMap((row) => (row.family === 'balancer-v2' ? [row.factory] : []));

/** Undefined if it is no creation of a weighted pool by one of the factories. */
export function toWeightedCreation(
  { address, topics, blockNumber }: { address: Address; topics: readonly Hex[]; blockNumber: number },
  factories: readonly LowerAddress[],
): WeightedCreation | undefined {
  const [topic, pool] = topics;
  if (topic !== weightedTopic || !isHex(pool) || !isHex(address)) return undefined;
  const factory = toLowerAddress(address);
  if (!factories.includes(factory)) return undefined;
  const none = zeroAddress as LowerAddress;
  return {
    event: 'weighted',
    factory,
    id: toAddress(BigInt(pool)),
    currency0: none,
    currency1: none,
    fee: 0,
    tickSpacing: 0,
    hooks: noHooks,
    blockNumber,
  };
}
