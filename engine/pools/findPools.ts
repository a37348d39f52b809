import type { RpcReply } from '../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { creationEvents } from '../venues/families.ts';
import { nativeCurrency } from '../venues/kinds.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import { hasSwapHook } from '../venues/uniswapV4/poolKey.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { customPools, hasCandidatePool } from './poolEvents.ts';
import type { PoolCreation, PoolIndex } from './poolIndex.ts';
import { allBlocks, fromPoolLogReplies, type LogTail, lacksEarlierBlocks, tailAfter } from './poolLogs.ts';

/** The token to search, and the pools that enumeration already finds. */
export interface PoolSearch {
  /** No routing asset: those have too many pools. Native currency as its wrapped token. */
  token: LowerAddress;
  candidatePools: readonly CandidatePool[];
  deployment: Pick<Deployment, 'wrappedNative' | 'usdc' | 'routingAssets'>;
}

/**
 * Pools that enumeration does not find: unlisted v4 keys and fee tiers, custom deployers, other counter-assets. Oldest
 * first. `truncated`: there are more. `hooked`: v4 pools whose hooks act on swaps or set the fee; these are not in
 * `refs`, because such a hook can pay a simulation more than a trade. If the read failed, `refs` contains only the
 * pools of the index.
 */
export type FoundPools = { refs: PoolRef[]; truncated: boolean; hooked: PoolRef[] } & (
  | { status: 'read' }
  | { status: 'read failed'; reason: string }
);

/** A v4 key with this fee lets its hook set the fee at any time. */
const dynamicFee = 0x800000;

/** Maximum number of pools that are ranked: the oldest and the newest ones. */
const maxCandidates = 500;

/** @param known pools created before the tail */
export function fromFindPoolReplies(
  search: PoolSearch,
  replies: readonly (RpcReply | undefined)[],
  known?: FoundPools,
): FoundPools {
  const logs = fromPoolLogReplies(replies);
  const before = known ?? { refs: [], truncated: false, hooked: [] };
  if (logs.status === 'unread') return { ...before, status: 'read failed', reason: logs.reason };
  const found = toFound(search, logs.creations);
  const refs = unique([...before.refs, ...found.refs]);
  const truncated = before.truncated || found.truncated || refs.length > maxCandidates;
  const hooked = bothEnds(unique([...before.hooked, ...found.hooked]), maxCandidates);
  const pools = { refs: bothEnds(refs, maxCandidates), truncated, hooked };
  return known?.status === 'read failed' ? { ...known, ...pools } : { status: 'read', ...pools };
}

/**
 * Adds confirmed pools of third parties, after all others. Whether pools may be missing stays as it was: the absence of a
 * hint proves nothing.
 */
export function withHints(search: PoolSearch, found: FoundPools, creations: readonly PoolCreation[]): FoundPools {
  const ids = new Set(found.refs.map(({ id }) => id));
  return { ...found, refs: [...found.refs, ...toFound(search, creations).refs.filter(({ id }) => !ids.has(id))] };
}

/**
 * The first and the last half of `most` elements, which are in order of their age. Anyone can create pools for cents, so
 * neither end alone is enough: earlier pools would hide a launch, later ones an old pool.
 */
export const bothEnds = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most ? [...all] : [...all.slice(0, most / 2), ...all.slice(-most / 2)];

/** Pools from the index, and the block range after it. Without an index, the range is all blocks. */
export async function recallFoundPools(
  search: PoolSearch,
  index: Pick<PoolIndex, 'load'> | undefined,
): Promise<{ known: FoundPools | undefined; tail: LogTail }> {
  const indexed = await index?.load(search.token).catch(() => undefined);
  if (!indexed) return { known: undefined, tail: allBlocks };
  const { tail, isComplete } = tailAfter(indexed, indexed.seenHead);
  const found = toFound(search, indexed.creations);
  const refs = { ...found, truncated: found.truncated || indexed.truncated };
  if (isComplete) return { known: { status: 'read', ...refs }, tail };
  return { known: { status: 'read failed', reason: lacksEarlierBlocks, ...refs }, tail };
}

function toFound(search: PoolSearch, creations: readonly PoolCreation[]): Omit<FoundPools, 'status' | 'reason'> {
  const ofFactory = new Map<LowerAddress, CandidatePool[]>();
  for (const candidatePool of search.candidatePools) {
    ofFactory.set(candidatePool.factory, [...(ofFactory.get(candidatePool.factory) ?? []), candidatePool]);
  }
  const { token } = search;
  const enumerated = new Set([token, ...search.deployment.routingAssets.map(({ address }) => address)]);
  const custom = customPools(creations);
  const hooked: PoolRef[] = [];
  const refs = [...creations]
    .sort((a, b) => a.blockNumber - b.blockNumber)
    .flatMap((creation) => {
      const candidatePools = ofFactory.get(creation.factory) ?? [];
      const found = toPoolRef(creation, candidatePools, search.deployment.wrappedNative);
      const ref =
        found && custom.has(found.id) ? { ...found, candidatePool: { ...found.candidatePool, isCustom: true } } : found;
      const sides = ref ? [ref.token0, ref.token1] : [];
      if (!ref || !sides.includes(token)) return [];
      const isListed =
        !custom.has(creation.id) &&
        sides.every((side) => enumerated.has(side)) &&
        hasCandidatePool(creation, candidatePools);
      if (isListed) return [];
      if (!hasSwapHook(creation.hooks) && creation.fee < dynamicFee) return [ref];
      hooked.push(ref);
      return [];
    });
  const found = unique(refs);
  return {
    refs: bothEnds(found, maxCandidates),
    truncated: found.length > maxCandidates,
    hooked: bothEnds(unique(hooked), maxCandidates),
  };
}

/** @param candidatePools of the pool's factory; undefined if the factory is not covered */
function toPoolRef(
  creation: PoolCreation,
  candidatePools: readonly CandidatePool[],
  wrappedNative: LowerAddress,
): PoolRef | undefined {
  const { event, id, currency0, currency1 } = creation;
  const [own] = candidatePools;
  if (!own) return undefined;
  const token0 = currency0 === nativeCurrency ? wrappedNative : currency0;
  // The native currency and its wrapped token are one asset.
  if (token0 === currency1) return undefined;
  return {
    candidatePool: { ...own, ...creationEvents[event].toCandidatePoolFields(creation) },
    id,
    token0,
    token1: currency1,
  };
}

const unique = (refs: readonly PoolRef[]): PoolRef[] => [...new Map(refs.map((ref) => [ref.id, ref])).values()];
