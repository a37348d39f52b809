import type { Node } from '../../chain/node.ts';
import { within } from '../../chain/within.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { Memory } from '../../memory.ts';
import { createRoutedPools, createWeightedSearch } from '../../pools/balancerV2/weightedSearch.ts';
import type { PoolHints } from '../../pools/poolHints.ts';
import type { PoolIndex, PoolIndexState, WeightedIndex } from '../../pools/poolIndex.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import type { KnownPool } from '../../pools/stateQuery.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { TokenPair } from '../search/planTypes.ts';
import {
  addHintedPools,
  counterOf,
  findTokenPools,
  type LogGap,
  maxCounters,
  type TokenPools,
} from './findTokenPools.ts';
import { type OtherHoldings, unreadHoldings } from './notCovered.ts';

/** Pools for one query. */
export interface RecalledPools {
  known: KnownPool[];
  hooked: boolean;
  others: OtherHoldings;
  gap: LogGap | undefined;
  /** The progress of the index that will close the gap; undefined: there is none. */
  index: PoolIndexState | undefined;
  /** Third parties whose pools were tried as well, because of the gap. */
  hintSources: readonly string[];
}

export interface PoolSearcher {
  /** The cached pools of both tokens. */
  recall(pair: TokenPair): RecalledPools;
  /**
   * Searches the tokens that are not cached, in separate requests. Never rejects. Resolves to true if it found pools.
   * Resolves to false if it found none, or after `graceMs`; then the search continues for the next query.
   */
  search(pair: TokenPair, node: Node): Promise<boolean>;
  /** Makes the next query search again, also if a search is running. A failed read keeps its retry delay. */
  forget(pair: TokenPair): void;
}

interface SearcherPorts {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  now: () => number;
  index?: PoolIndex | undefined;
  weightedIndex?: WeightedIndex | undefined;
  hints?: PoolHints | undefined;
}

/** How long a quote waits for logs and hints together, in milliseconds, once per token. */
const graceMs = 1_000;
/** A search that takes longer counts as failed. */
const searchMs = 20_000;
/** Maximum number of a token's weighted pairs in a quote: the deepest ones. */
const maxWeightedPairs = 8;

/**
 * Finds pools in the factories' logs or the index, once per token. Anyone can create pools for cents, so a token adds at
 * most `maxUnlistedPools` pool states to a quote.
 */
export function createPoolSearcher(ports: SearcherPorts): PoolSearcher {
  const { deployment, candidatePools, now, index, weightedIndex, hints } = ports;
  const [kept, unread] = [createKeptPools(now), unreadPools(deployment)];
  const running = new Map<LowerAddress, Promise<boolean>>();
  /** Tokens forgotten since their running search began. */
  const forgotten = new Set<LowerAddress>();
  const weightedSearch = createWeightedSearch({ deployment, now, index: weightedIndex });
  const routedPools = createRoutedPools(now, weightedSearch);
  const routed = new Set(deployment.routingAssets.map(({ address }) => address));
  const ownOf = ({ tokenIn, tokenOut }: TokenPair) => [tokenIn, tokenOut].filter((token) => !routed.has(token));
  const keep = (token: LowerAddress, pools: TokenPools) =>
    kept.set(token, pools, { isForgotten: forgotten.has(token) });

  async function searchLogs(token: LowerAddress, node: Node): Promise<void> {
    const search = { token, candidatePools, deployment };
    hints?.prefetch(token);
    const { found, pools } = await findTokenPools(search, node, { index, weightedSearch });
    const isRead = found.status === 'read';
    hints?.sawLogs(isRead);
    keep(token, pools);
    if (!hints || (isRead && !found.truncated)) return;
    keep(token, { ...pools, ...(await addHintedPools(search, found, await hints.find(token, node), node)) });
  }

  function searchToken(token: LowerAddress, node: Node): Promise<boolean> {
    const started = running.get(token);
    if (started) return started;
    const done = searchLogs(token, node).then(() => true);
    const search = within(searchMs, done, false)
      .catch(() => false)
      .then((isDone) => {
        if (!isDone) keep(token, unread);
        return kept.hasPools(token);
      })
      .finally(() => {
        running.delete(token);
        forgotten.delete(token);
      });
    running.set(token, search);
    return search;
  }

  return {
    recall(pair) {
      const own = ownOf(pair);
      const found = own.map((token): TokenPools => kept.get(token) ?? { ...unread, gap: 'pending' });
      return {
        known: toKnownPools(
          pair,
          found.flatMap(({ refs, weighted = [] }, at) => [
            ...usable(own[at] as LowerAddress, refs, pair, routed),
            ...usable(own[at] as LowerAddress, weighted, pair, routed).slice(0, maxWeightedPairs),
          ]),
          routedPools.recall(),
        ),
        hooked: found.some(({ hooked }) => hooked),
        others: merge(found.map(({ others }) => others)),
        gap: found.find(({ gap }) => gap !== undefined)?.gap,
        index: index?.state(),
        hintSources: [...new Set(found.flatMap(({ gap, hintSources }) => (gap ? (hintSources ?? []) : [])))],
      };
    },
    async search(pair, node) {
      const due = ownOf(pair).filter((token) => running.has(token) || kept.isDue(token));
      const routedSearch = routedPools.refresh(node);
      if (due.length === 0) return false;
      const found: Promise<boolean[]> = Promise.all([...due.map((token) => searchToken(token, node)), routedSearch]);
      // Pools of the logs count even if hints are late.
      return (await within(graceMs, found, undefined))?.some(Boolean) ?? due.some(kept.hasPools);
    },
    forget(pair) {
      for (const token of ownOf(pair)) {
        kept.forget(token);
        if (running.has(token)) forgotten.add(token);
      }
      weightedSearch.forget();
      routedPools.forget();
    },
  };
}

/** Pools against the other token, a routing asset, or one of the first `maxCounters` other counter-assets. */
function usable(
  token: LowerAddress,
  refs: readonly PoolRef[],
  { tokenIn, tokenOut }: TokenPair,
  routed: ReadonlySet<LowerAddress>,
): PoolRef[] {
  const pair = [tokenIn, tokenOut];
  const others = new Set<LowerAddress>();
  return refs.filter((ref) => {
    const counter = counterOf(token, ref);
    if (routed.has(counter) || pair.includes(counter) || others.has(counter)) return true;
    if (others.size === maxCounters) return false;
    others.add(counter);
    return true;
  });
}

/** Removes duplicates, and adds the direction that the query needs: both for pools between routing assets. */
function toKnownPools(
  { tokenIn, tokenOut }: TokenPair,
  own: readonly PoolRef[],
  routed: readonly PoolRef[],
): KnownPool[] {
  const unique = new Map([...own, ...routed].map((ref) => [ref.id, ref]));
  return [...unique.values()].map((ref) => {
    if (ref.token0 === tokenIn || ref.token1 === tokenOut) return { ref, sells: 'token0' };
    if (ref.token1 === tokenIn || ref.token0 === tokenOut) return { ref, sells: 'token1' };
    return { ref, sells: 'both' };
  });
}

const unreadPools = (deployment: Deployment): TokenPools => ({
  ...{ refs: [], weighted: undefined, hooked: false, gap: 'unread' },
  others: unreadHoldings(deployment),
});

const merge = (all: readonly OtherHoldings[]): OtherHoldings => ({
  holdings: all.flatMap(({ holdings }) => holdings),
  unread: [...new Set(all.flatMap(({ unread }) => unread))],
});

const maxTokens = 1_024;
const keptMs = 600_000;
/** Delay before a failed or truncated search is repeated. */
const gapKeptMs = 30_000;

/** The pools that searches found, by token. */
export function createKeptPools(now: () => number) {
  const kept = new Memory<LowerAddress, TokenPools & { until: number }>({ maxEntries: maxTokens });
  return {
    get: (token: LowerAddress) => kept.get(token),
    /** Whether the token's pools were never searched, or too long ago. */
    isDue: (token: LowerAddress) => !((kept.get(token)?.until ?? 0) > now()),
    hasPools(token: LowerAddress) {
      const { refs = [], weighted = [] } = kept.get(token) ?? {};
      return refs.length > 0 || weighted.length > 0;
    },
    /** Stores the pools, and those of an earlier search if some may be missing: they still exist. */
    set(token: LowerAddress, pools: TokenPools, { isForgotten }: { isForgotten: boolean }) {
      const before = kept.get(token);
      const earlier = pools.gap === undefined ? [] : (before?.refs ?? []);
      const refs = [...new Map([...pools.refs, ...earlier].map((ref) => [ref.id, ref])).values()];
      const keptFor = pools.gap !== undefined ? gapKeptMs : isForgotten ? 0 : keptMs;
      const weighted = pools.weighted ?? before?.weighted;
      kept.set(token, { ...pools, refs: refs.slice(0, maxUnlistedPools), weighted, until: now() + keptFor });
    },
    /** Makes the token due, unless its last search failed or was truncated. */
    forget(token: LowerAddress) {
      const pools = kept.get(token);
      if (pools && pools.gap === undefined) pools.until = 0;
    },
  };
}
