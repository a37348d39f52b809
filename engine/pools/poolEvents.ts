import { type Address, getAddress, type Hex, isHex, toHex, zeroAddress } from 'viem';
import { type ChainName, chainNames } from '../chain/chains.ts';
import { decodeWords } from '../chain/words.ts';
import { keccak256 } from '../keccak256.ts';
import { type AnyCase, type LowerAddress, toLowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { deployments } from '../venues/deployments/deployments.ts';
import { toAddress } from '../venues/eventWords.ts';
import { creationEvents, type EventName, eventNames, toCandidatePools } from '../venues/families.ts';
import { nativeCurrency, noHooks } from '../venues/kinds.ts';
import { poolIdOf } from '../venues/uniswapV4/poolKey.ts';
import type { RoutingAsset, V4PoolShape, VenueRow } from '../venues/venueTypes.ts';
import type { IndexedCreation, PoolCreation, WeightedCreation } from './poolIndex.ts';

/** topic0 of pool creation events, by name. */
export const poolTopics = Object.fromEntries(eventNames.map((name) => [name, creationEvents[name].topic])) as Record<
  EventName,
  Hex
>;

/** The fields of a node's log that are read. */
export interface PoolLog {
  address: Address;
  topics: readonly Hex[];
  data: Hex;
}

/** Pool creation events of a chain's factories: which logs a pool index reads, and how it decodes them. */
export interface PoolEvents {
  /** An index built with another scope (other factories, events or lists) is invalid. */
  scope: string;
  /** The filter of `eth_getLogs` that finds every new pool, whatever its tokens. */
  filter: { address: LowerAddress[]; topics: [Hex[]] };
  /** Balancer's factories of weighted pools. */
  weightedFactories: LowerAddress[];
  /** Undefined: not a pool event, or a pool that each read of its tokens finds through the factory. */
  toCreation(log: PoolLog & { blockNumber: number }): IndexedCreation | undefined;
}

/**
 * The events of a chain's covered factories. Excludes pools of a pricing asset with a listed fee and shape: each read of
 * the other token finds them through their factory, and nearly all pools are of this kind.
 */
export function poolEventsOf(
  chain: ChainName,
  extra: {
    extraVenues?: Partial<Record<ChainName, readonly AnyCase<VenueRow>[]>> | undefined;
    extraV4Shapes?: Partial<Record<ChainName, readonly AnyCase<V4PoolShape>[]>> | undefined;
  } = {},
): PoolEvents {
  const { venues, pricingAssets } = deployments[chain];
  const candidatePools = toCandidatePools(
    [...venues, ...(extra.extraVenues?.[chain] ?? [])],
    extra.extraV4Shapes?.[chain],
  );
  const weightedFactories = venues.flatMap((row) => (row.family === 'balancer-v2' ? [row.factory] : []));
  const hasWeighted = weightedFactories.length > 0;
  // Checksummed, because databases of earlier releases contain this hash.
  const scopePools = candidatePools.map((candidatePool) => ({
    ...candidatePool,
    factory: getAddress(candidatePool.factory),
    hooks: getAddress(candidatePool.hooks),
  }));
  const assets = pricingAssets.map(({ address: asset }) => getAddress(asset));
  const scopeOf = [
    chainNames.indexOf(chain),
    poolTopics,
    scopePools,
    assets,
    ...(hasWeighted ? [weightedFactories] : []),
  ];
  return {
    scope: keccak256(toHex(JSON.stringify(scopeOf))),
    filter: {
      address: [...factoriesOf(candidatePools), ...weightedFactories],
      topics: [[...Object.values(poolTopics), ...(hasWeighted ? [weightedTopic] : [])]],
    },
    weightedFactories,
    toCreation(log) {
      const weighted = toWeightedCreation(log, weightedFactories);
      if (weighted) return weighted;
      const creation = toPoolCreation(log);
      return creation && isListed(creation, candidatePools, pricingAssets) ? undefined : creation;
    },
  };
}

/** Factories and singletons, each once. */
export const factoriesOf = (candidatePools: readonly CandidatePool[]): LowerAddress[] => [
  ...new Set(candidatePools.map(({ factory }) => factory)),
];

/** Decodes one log; undefined if it is not a pool creation event. */
export function toPoolCreation(log: PoolLog & { blockNumber: number }): PoolCreation | undefined {
  const { address, topics, data, blockNumber } = log;
  // Nodes can return malformed logs; they are skipped.
  const isValid = Array.isArray(topics) && topics.every((word) => isHex(word) && word.length === 66);
  const words = isValid ? topics.map((word) => word.toLowerCase() as Hex) : [];
  const event = eventNames.find((name) => poolTopics[name] === words[0]);
  if (!event || !isHex(address) || !isHex(data)) return undefined;
  const { currencyTopic, decode } = creationEvents[event];
  const [currency0, currency1] = words.slice(currencyTopic);
  if (!currency0 || !currency1) return undefined;
  return {
    event,
    factory: toLowerAddress(address),
    currency0: toAddress(BigInt(currency0)),
    currency1: toAddress(BigInt(currency1)),
    fee: 0,
    tickSpacing: 0,
    hooks: noHooks,
    blockNumber,
    ...decode(words, decodeWords(data, 8)),
  };
}

/** Whether a read of its tokens finds the pool as a candidate pool, so that the index can omit it. */
function isListed(
  creation: PoolCreation,
  candidatePools: readonly CandidatePool[],
  pricingAssets: readonly RoutingAsset[],
): boolean {
  const { currency0, currency1 } = creation;
  const isPricingAsset = (asset: string) =>
    asset === nativeCurrency || pricingAssets.some(({ address }) => address === asset);
  return (isPricingAsset(currency0) || isPricingAsset(currency1)) && hasCandidatePool(creation, candidatePools);
}

/** Whether a look-up by pair finds the pool: one of its factory's candidate pools has this key. */
export function hasCandidatePool(creation: PoolCreation, candidatePools: readonly CandidatePool[]): boolean {
  const { isCustom, toCandidatePoolFields } = creationEvents[creation.event];
  if (isCustom) return false;
  const key = Object.entries({ factory: creation.factory, ...toCandidatePoolFields(creation) });
  return candidatePools.some((candidatePool) =>
    key.every(([name, value]) => candidatePool[name as keyof CandidatePool] === value),
  );
}

/** Whether the pool's id is the hash of its key, so that no other pool can have it. */
export const hasOwnId = (creation: IndexedCreation): boolean =>
  creation.event === 'v4' && poolIdOf(creation) === creation.id;

/** Ids of custom pools. Later releases also log one as the pair's own, but their factory does not return it by pair. */
export const customPools = (creations: readonly PoolCreation[]): ReadonlySet<Hex> =>
  new Set(creations.filter(({ event }) => creationEvents[event].isCustom).map(({ id }) => id));

/**
 * PoolCreated(address indexed pool), of a factory. The vault's events PoolRegistered and TokensRegistered do not name the
 * factory, and anyone can register a pool with code of their own.
 */
export const weightedTopic: Hex = '0x83a48fbcfc991335314e74d0496aab6a1987e992ddc85dddbcc4d6dd6ef2e9fc';

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
