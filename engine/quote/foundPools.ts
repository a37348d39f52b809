import { setTimeout as sleep } from 'node:timers/promises';
import { numberToHex } from 'viem';
import { createBatch } from '../chain/batch.ts';
import type { Node } from '../chain/node.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { createWeightedSearch, type WeightedSearch } from '../pools/balancerV2/weightedSearch.ts';
import { fromFindPoolReplies, type PoolSearch, recallFoundPools, toFindPoolCalls } from '../pools/findPools.ts';
import type { PoolIndex, PoolIndexState } from '../pools/poolIndex.ts';
import { fromRankReplies, maxUnlistedPools, toRankCalls } from '../pools/rankPools.ts';
import type { KnownPool } from '../pools/stateQuery.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { createRoutedPools } from './routedPools.ts';

/** Why pools that only the factories' logs contain may be missing. */
export type LogGap = 'unread' | 'pending' | 'truncated';

/** Pools of one token that enumeration does not find. */
interface TokenPools {
  /** The deepest pools (`fromRankReplies`), at most `maxUnlistedPools`. */
  refs: readonly PoolRef[];
  /** The token's pairs in Balancer's weighted pools, the deepest first. Undefined if they were not read. */
  weighted: readonly PoolRef[] | undefined;
  /** There are v4 pools with hooks that are not used. */
  hooked: boolean;
  /** Why pools may be missing; undefined if all were found. */
  gap?: LogGap | undefined;
}

/** Pools for one query. */
interface RecalledPools {
  known: KnownPool[];
  hooked: boolean;
  gap: LogGap | undefined;
  /** The progress of the index that will close the gap; undefined: there is none. */
  index: PoolIndexState | undefined;
}

interface Pair {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
}

export interface PoolSearcher {
  /** The cached pools of both tokens. */
  recall(pair: Pair): RecalledPools;
  /**
   * Searches the tokens that are not cached, in separate requests. Never rejects. Resolves to true if it found pools.
   * Resolves to false if it found none, or after `graceMs`; then the search continues for the next query.
   */
  search(pair: Pair, node: Node): Promise<boolean>;
  /** Makes the next query search again, also if a search is running. A failed read keeps its retry delay. */
  forget(pair: Pair): void;
}

interface SearcherPorts {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  now: () => number;
  index?: PoolIndex | undefined;
}

const maxTokens = 1_024;
const keptMs = 600_000;
/** Delay before a failed or truncated search is repeated. */
const gapKeptMs = 30_000;
/** How long a quote waits for logs, in milliseconds, once per token. */
const graceMs = 1_000;
/** A search that takes longer counts as failed. */
const searchMs = 20_000;
const unread: TokenPools = { refs: [], weighted: undefined, hooked: false, gap: 'unread' };
/** Maximum number of a token's counter-assets that are not routing assets: each adds three pairs. */
const maxCounters = 2;
/** Maximum number of a token's weighted pairs in a quote: the deepest ones. */
const maxWeightedPairs = 8;

/**
 * Finds pools in the factories' logs or the index, once per token. Anyone can create pools for cents, so a token adds at
 * most `maxUnlistedPools` pool states to a quote.
 */
export function createPoolSearcher({ deployment, candidatePools, now, index }: SearcherPorts): PoolSearcher {
  const kept = new Map<LowerAddress, TokenPools & { until: number }>();
  const running = new Map<LowerAddress, Promise<boolean>>();
  /** Tokens forgotten since their running search began. */
  const forgotten = new Set<LowerAddress>();
  const weightedSearch = createWeightedSearch({ deployment, now });
  const routedPools = createRoutedPools({ now, weightedSearch });
  const routed = new Set(deployment.routingAssets.map(({ address }) => address));
  const ownOf = ({ tokenIn, tokenOut }: Pair) => [tokenIn, tokenOut].filter((token) => !routed.has(token));

  function remember(token: LowerAddress, pools: TokenPools): void {
    kept.delete(token);
    const oldest = kept.keys().next();
    if (kept.size >= maxTokens && !oldest.done) kept.delete(oldest.value);
    const keptFor = pools.gap !== undefined ? gapKeptMs : forgotten.has(token) ? 0 : keptMs;
    kept.set(token, { ...pools, until: now() + keptFor });
  }

  function searchToken(token: LowerAddress, node: Node): Promise<boolean> {
    const started = running.get(token);
    if (started) return started;
    const sources = { index, weightedSearch };
    const found = findTokenPools({ token, candidatePools, deployment }, node, sources).catch(() => unread);
    const search = within(searchMs, found, unread)
      .then((pools) => {
        // Pools of an earlier search still exist.
        const before = kept.get(token);
        const earlier = pools.gap === undefined ? [] : (before?.refs ?? []);
        const refs = [...new Map([...pools.refs, ...earlier].map((ref) => [ref.id, ref])).values()];
        const weighted = pools.weighted ?? before?.weighted;
        remember(token, { ...pools, refs: refs.slice(0, maxUnlistedPools), weighted });
        return refs.length > 0 || (weighted ?? []).length > 0;
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
        gap: found.find(({ gap }) => gap !== undefined)?.gap,
        index: index?.state(),
      };
    },
    async search(pair, node) {
      const due = ownOf(pair).filter((token) => !((kept.get(token)?.until ?? 0) > now()));
      const routedSearch = routedPools.refresh(node);
      if (due.length === 0) return false;
      const found: Promise<boolean[]> = Promise.all([...due.map((token) => searchToken(token, node)), routedSearch]);
      return (await within(graceMs, found, [])).some(Boolean);
    },
    forget(pair) {
      for (const token of ownOf(pair)) {
        const pools = kept.get(token);
        if (pools && pools.gap === undefined) pools.until = 0;
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
  { tokenIn, tokenOut }: Pair,
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

/** The result, or `late` after `ms` milliseconds. */
async function within<T>(ms: number, result: Promise<T>, late: T): Promise<T> {
  const done = new AbortController();
  const timer = sleep(ms, late, { signal: done.signal, ref: false }).catch(() => late);
  return Promise.race([result.finally(() => done.abort()), timer]);
}

async function findTokenPools(
  search: PoolSearch,
  node: Node,
  { index, weightedSearch }: { index: PoolIndex | undefined; weightedSearch: WeightedSearch },
): Promise<TokenPools> {
  // Separate requests: an attacker can make the response with the other factories' logs too large.
  const weightedRead = weightedSearch.find(search.token, node).catch(() => undefined);
  const { known, tail } = await recallFoundPools(search, index);
  const batch = createBatch();
  const replies = batch.add(...toFindPoolCalls(search, tail));
  // With the header, because the chain id of the node may not be verified yet.
  const isSent = await batch.sendWithHeader(node, 'latest').then(
    () => true,
    () => false,
  );
  const found = fromFindPoolReplies(search, isSent ? replies() : [undefined], known);
  if (found.status === 'read failed') index?.wake();
  const [refs, weighted] = await Promise.all([rank(search, found.refs, node), weightedRead]);
  const isUnread = found.status === 'read failed' || weighted === undefined;
  const gap = isUnread ? 'unread' : found.truncated ? 'truncated' : undefined;
  return { refs, weighted, hooked: found.hooked, gap };
}

/** Ranks the pools by their balances, with one request, if there are more pools or counter-assets than a quote reads. */
async function rank(
  { token, deployment }: PoolSearch,
  refs: readonly PoolRef[],
  node: Node,
): Promise<readonly PoolRef[]> {
  const routed = new Set(deployment.routingAssets.map(({ address }) => address));
  const counters = new Set(refs.map((ref) => counterOf(token, ref)).filter((counter) => !routed.has(counter)));
  if (refs.length <= maxUnlistedPools && counters.size <= maxCounters) return refs;
  const block = node.block ? numberToHex(node.block.number) : 'latest';
  const batch = createBatch();
  const replies = batch.add(...toRankCalls(refs, token, block));
  await batch.trySend(node);
  return fromRankReplies(refs, token, replies(), [deployment.wrappedNative, deployment.usdc]);
}

const counterOf = (token: LowerAddress, { token0, token1 }: PoolRef) => (token0 === token ? token1 : token0);

/** Removes duplicates, and adds the direction that the query needs: both for pools between routing assets. */
function toKnownPools({ tokenIn, tokenOut }: Pair, own: readonly PoolRef[], routed: readonly PoolRef[]): KnownPool[] {
  const unique = new Map([...own, ...routed].map((ref) => [ref.id, ref]));
  return [...unique.values()].map((ref) => {
    if (ref.token0 === tokenIn || ref.token1 === tokenOut) return { ref, sells: 'token0' };
    if (ref.token1 === tokenIn || ref.token0 === tokenOut) return { ref, sells: 'token1' };
    return { ref, sells: 'both' };
  });
}
