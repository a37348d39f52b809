import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { WeightedIndex } from '../poolIndex.ts';
import { createRepeatedRead, type RepeatedRead } from '../repeatedRead.ts';
import type { WeightedList } from './weightedList.ts';

/** Finds weighted pools of Balancer v2. */
export interface WeightedSearch {
  /** The deepest pairs of a token; undefined if they could not be read. */
  find(token: LowerAddress, node: Node): Promise<readonly PoolRef[] | undefined>;
  /** The deepest pairs of two routing assets of the chain; undefined if they could not be read. */
  findRouted(node: Node): Promise<readonly PoolRef[] | undefined>;
  /** Whether the last search found all pools; else the index lacks earlier blocks, or the logs were refused. */
  isComplete(): boolean;
  /** Makes the next search read the list of pools again. */
  forget(): void;
}

/** Imports the code of these pools at the first search on a chain that has them. */
export function createWeightedSearch(ports: {
  deployment: Pick<Deployment, 'venues' | 'routingAssets'>;
  now: () => number;
  index?: WeightedIndex | undefined;
}): WeightedSearch {
  const hasPools = ports.deployment.venues.some(({ family }) => family === 'balancer-v2');
  let list: WeightedList | undefined;
  async function load() {
    const [{ createWeightedList }, { findWeighted, findWeightedBetween }] = await Promise.all([
      import('./weightedList.ts'),
      import('./findWeighted.ts'),
    ]);
    list ??= createWeightedList(ports);
    return { findWeighted, findWeightedBetween, list };
  }
  return {
    async find(token, node) {
      if (!hasPools) return [];
      const { findWeighted, list: loaded } = await load();
      return findWeighted(token, loaded, node);
    },
    async findRouted(node) {
      if (!hasPools) return [];
      const { findWeightedBetween, list: loaded } = await load();
      return findWeightedBetween(ports.deployment.routingAssets, loaded, node);
    },
    isComplete: () => !hasPools || (list?.isComplete() ?? false),
    forget: () => list?.forget(),
  };
}

/** Weighted pools of two routing assets. A route of any market of the chain can use them as a middle hop. */
export interface RoutedPools extends RepeatedRead {
  /** The pools of the last search. */
  recall(): readonly PoolRef[];
  /** Searches if that is due. Never rejects. Resolves to true if it found pools. */
  refresh(node: Node): Promise<boolean>;
}

export function createRoutedPools(now: () => number, weightedSearch: WeightedSearch): RoutedPools {
  let pools: readonly PoolRef[] = [];
  const { refresh, forget } = createRepeatedRead(now, async (node) => {
    const found = await weightedSearch.findRouted(node);
    // Pools of an earlier search still exist.
    pools = found ?? pools;
    return found !== undefined && weightedSearch.isComplete();
  });
  return { recall: () => pools, refresh: async (node) => (await refresh(node)) && pools.length > 0, forget };
}
