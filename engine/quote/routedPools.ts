import type { Node } from '../chain/node.ts';
import type { WeightedSearch } from '../pools/balancerV2/weightedSearch.ts';
import type { PoolRef } from '../venues/poolTypes.ts';

/** Weighted pools between two routing assets, which can be a middle hop of every market of the chain. */
export interface RoutedPools {
  /** The pools of the last search. */
  recall(): readonly PoolRef[];
  /** Searches if that is due. Never rejects. Resolves to true if it found pools. */
  refresh(node: Node): Promise<boolean>;
}

const keptMs = 600_000;
/** Delay before a failed search is repeated. */
const failedMs = 30_000;

export function createRoutedPools({
  now,
  weightedSearch,
}: {
  now: () => number;
  weightedSearch: WeightedSearch;
}): RoutedPools {
  let pools: readonly PoolRef[] = [];
  let dueAt = 0;
  let running: Promise<boolean> | undefined;

  async function search(node: Node): Promise<boolean> {
    const found = await weightedSearch.findRouted(node).catch(() => undefined);
    // Pools of an earlier search still exist.
    pools = found ?? pools;
    dueAt = now() + (found ? keptMs : failedMs);
    running = undefined;
    return pools.length > 0;
  }

  return {
    recall: () => pools,
    async refresh(node) {
      if (now() < dueAt) return false;
      running ??= search(node);
      return running;
    },
  };
}
