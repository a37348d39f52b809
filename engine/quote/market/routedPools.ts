import type { Node } from '../../chain/node.ts';
import type { WeightedSearch } from '../../pools/balancerV2/weightedSearch.ts';
import { createRepeatedRead, type RepeatedRead } from '../../pools/repeatedRead.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';

/** Weighted pools of two routing assets. A route of any market of the chain can use them as a middle hop. */
export interface RoutedPools extends RepeatedRead {
  /** The pools of the last search. */
  recall(): readonly PoolRef[];
  /** Searches if that is due. Never rejects. Resolves to true if it found pools. */
  refresh(node: Node): Promise<boolean>;
}

export function createRoutedPools({
  now,
  weightedSearch,
}: {
  now: () => number;
  weightedSearch: WeightedSearch;
}): RoutedPools {
  let pools: readonly PoolRef[] = [];
  const { refresh, forget } = createRepeatedRead(now, async (node) => {
    const found = await weightedSearch.findRouted(node);
    // Pools of an earlier search still exist.
    pools = found ?? pools;
    return found !== undefined && weightedSearch.isComplete();
  });
  return { recall: () => pools, refresh: async (node) => (await refresh(node)) && pools.length > 0, forget };
}
