import type { Node } from '../../chain/node.ts';
import type { WeightedSearch } from '../../pools/balancerV2/weightedSearch.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';

/** Weighted pools of two routing assets. A route of any market of the chain can use them as a middle hop. */
export interface RoutedPools {
  /** The pools of the last search. */
  recall(): readonly PoolRef[];
  /** Searches if that is due. Never rejects. Resolves to true if it found pools. */
  refresh(node: Node): Promise<boolean>;
  /** Makes the next refresh search again, also if a search is running. A failed search keeps its retry delay. */
  forget(): void;
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
  let hasFailed = false;
  /** Whether `forget()` was called since the last search began. */
  let isForgotten = false;
  let running: Promise<boolean> | undefined;

  async function search(node: Node): Promise<boolean> {
    isForgotten = false;
    const found = await weightedSearch.findRouted(node).catch(() => undefined);
    // Pools of an earlier search still exist.
    pools = found ?? pools;
    hasFailed = !found || !weightedSearch.isComplete();
    dueAt = now() + (hasFailed ? failedMs : keptMs);
    running = undefined;
    return pools.length > 0;
  }

  return {
    recall: () => pools,
    async refresh(node) {
      const isDue = now() >= dueAt || (isForgotten && !hasFailed);
      if (!running && !isDue) return false;
      running ??= search(node);
      return running;
    },
    forget() {
      isForgotten = true;
    },
  };
}
