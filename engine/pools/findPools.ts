import type { Address, Hex } from 'viem';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import type { PoolCreation, PoolIndex } from '../pretrade/pretradePorts.ts';
import { kinds, noHooks } from '../venues/kinds.ts';
import type { Deployment, Slot } from '../venues/venueTypes.ts';
import { hasSlot, poolTopics } from './poolEvents.ts';
import { fromPoolLogReplies, type LogTail, toLogCalls, toPoolLogCalls, toTopic } from './poolLogs.ts';
import type { PoolRef } from './poolTypes.ts';

/** The pair to search, and the pools that enumeration already finds. */
export interface PoolSearch {
  /** Native currency as its wrapped token. */
  tokens: readonly [Address, Address];
  slots: readonly Slot[];
  deployment: Pick<Deployment, 'wrappedNative' | 'routingAssets'>;
}

/**
 * Pools that enumeration does not find: unlisted v4 keys and fee tiers, custom deployers, other counter-assets. Oldest
 * first. `truncated`: there are more. Where the read failed, `refs` holds those that an index knows.
 */
export type FoundPools = { refs: PoolRef[]; truncated: boolean } & (
  | { status: 'read' }
  | { status: 'read failed'; reason: string }
);

/** More are not ranked. The oldest count: no later pool can displace a pool that exists. */
const mostCandidates = 500;

/**
 * Log queries for the pools of the pair; three or four for each range of blocks. Send them as a request of their own
 * beside the state read: anyone can create pools until the answer exceeds the limit on a response.
 *
 * For a routing asset the queries cover only pools with the other token, because it has too many pools.
 */
export function toFindPoolCalls(search: PoolSearch, tail: LogTail): RpcCall[] {
  const own = longTail(search);
  if (own.length > 0) return toPoolLogCalls(own, search.slots, tail);
  const [low, high] = sorted(search.tokens);
  const wrapped = search.deployment.wrappedNative.toLowerCase();
  const { v4, 'algebra-custom': custom, ...others } = poolTopics;
  const filters = [
    [Object.values(others), toTopic(low), toTopic(high)],
    [[v4, custom], null, toTopic(low), toTopic(high)],
  ];
  const other = low === wrapped ? high : high === wrapped ? low : undefined;
  const native = other ? [[[v4], null, toTopic(noHooks), toTopic(other)]] : [];
  return toLogCalls([...filters, ...native], search.slots, tail);
}

/** @param known pools of the blocks before the tail that was asked for */
export function fromFindPoolReplies(
  search: PoolSearch,
  replies: readonly (RpcReply | undefined)[],
  known?: FoundPools,
): FoundPools {
  const logs = fromPoolLogReplies(replies);
  if (logs.status === 'unread') {
    return {
      status: 'read failed',
      reason: logs.reason,
      refs: known?.refs ?? [],
      truncated: known?.truncated ?? false,
    };
  }
  const found = toFound(search, logs.creations);
  const refs = unique([...(known?.refs ?? []), ...found.refs]);
  const truncated = (known?.truncated ?? false) || found.truncated || refs.length > mostCandidates;
  return { status: 'read', refs: refs.slice(0, mostCandidates), truncated };
}

/**
 * Pools from the index, and the block range after it. Without an index, the range is all blocks.
 * It leaves out pools that pair a pricing asset and have a listed shape, so it cannot serve a pair of routing assets.
 */
export async function recallFoundPools(
  search: PoolSearch,
  index: PoolIndex | undefined,
): Promise<{ known: FoundPools | undefined; tail: LogTail }> {
  const everything = { known: undefined, tail: { from: 0n, seenHead: undefined, longest: undefined } };
  const own = longTail(search);
  if (!index || own.length === 0) return everything;
  // Without the index, the logs of all blocks are read.
  const loaded = await Promise.all(own.map((token) => index.load(token))).catch(() => [] as const);
  const indexed = loaded.flatMap((entry) => entry ?? []).sort((a, b) => Number(a.scannedTo - b.scannedTo));
  const [oldest] = indexed;
  if (!oldest || indexed.length < own.length) return everything;
  const creations = indexed.flatMap((entry) => entry.creations);
  const found = toFound(search, creations);
  return {
    known: { status: 'read', ...found, truncated: found.truncated || indexed.some(({ truncated }) => truncated) },
    tail: { from: oldest.scannedTo + 1n, seenHead: oldest.seenHead, longest: oldest.longestRange },
  };
}

/** The tokens of the pair for which all pools are searched. */
function longTail({ tokens, deployment }: PoolSearch): Address[] {
  const routed = new Set(deployment.routingAssets.map(({ address }) => address.toLowerCase()));
  return tokens.map(toLower).filter((token) => !routed.has(token));
}

function toFound(search: PoolSearch, creations: readonly PoolCreation[]): Pick<FoundPools, 'refs' | 'truncated'> {
  const ofFactory = new Map<string, Slot[]>();
  for (const slot of search.slots) {
    const factory = slot.factory.toLowerCase();
    ofFactory.set(factory, [...(ofFactory.get(factory) ?? []), slot]);
  }
  const own = new Set(longTail(search));
  const pair = search.tokens.map(toLower);
  const enumerated = new Set([...pair, ...search.deployment.routingAssets.map(({ address }) => toLower(address))]);
  // Later releases report a custom pool as a pair's own too; its factory does not return it by pair.
  const custom = new Set(creations.filter(({ event }) => event === 'algebra-custom').map(({ id }) => id));
  const refs = [...creations]
    .sort((a, b) => a.blockNumber - b.blockNumber)
    .flatMap((creation) => {
      const slots = ofFactory.get(creation.factory) ?? [];
      const ref = toPoolRef(creation, slots, search.deployment.wrappedNative);
      if (!ref) return [];
      const sides = [ref.token0, ref.token1];
      const wanted = own.size > 0 ? sides.some((side) => own.has(side)) : sides.every((side) => pair.includes(side));
      const listed =
        !custom.has(creation.id) && sides.every((side) => enumerated.has(side)) && hasSlot(creation, slots);
      return wanted && !listed ? [ref] : [];
    });
  const found = unique(refs);
  return { refs: found.slice(0, mostCandidates), truncated: found.length > mostCandidates };
}

/** @param slots of the pool's factory; undefined if the factory is not covered */
function toPoolRef(creation: PoolCreation, slots: readonly Slot[], wrappedNative: Address): PoolRef | undefined {
  const { event, id, currency0, currency1, fee, tickSpacing, hooks } = creation;
  const [own] = slots;
  if (!own) return undefined;
  const native = event === 'v4' && currency0 === noHooks;
  const token0 = native ? toLower(wrappedNative) : currency0;
  // Native currency against its own wrapped token is no market of two assets.
  if (token0 === currency1) return undefined;
  return { slot: { ...own, ...shapeOf() }, id, token0, token1: currency1 };

  function shapeOf(): Partial<Slot> {
    if (event === 'v4') return { kind: native ? kinds.v4Native : kinds.v4, fee, tickSpacing, hooks };
    if (event === 'slipstream') return { tickSpacing };
    // A pair's event contains no fee: read it from the factory or the pair.
    return event === 'v3' || event === 'solidly' ? { fee } : {};
  }
}

const unique = (refs: readonly PoolRef[]): PoolRef[] => [...new Map(refs.map((ref) => [ref.id, ref])).values()];
const toLower = (address: Address) => address.toLowerCase() as Address;
const sorted = (tokens: readonly [Address, Address]) => tokens.map(toLower).sort() as [Hex, Hex];
