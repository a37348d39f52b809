import type { Hex } from 'viem';
import type { Node } from '../chain/node.ts';
import { within } from '../chain/within.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { Memory } from '../memory.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { confirmHints, type HintTables } from './confirmHints.ts';
import type { PoolCreation, PoolIndex } from './poolIndex.ts';

/** A third party that lists pools of a token. Its pools count only if the chain confirms them. */
export interface PoolHintSource {
  readonly label: string;
  /**
   * Addresses, and 32-byte ids of singleton pools, in lower case, the largest first; empty if the token is not listed.
   * @throws {VendorUnavailableError}
   */
  fetchPools(token: LowerAddress, options: { signal: AbortSignal }): Promise<readonly Hex[]>;
}

/** Pools of a token that a third party listed and the chain confirmed. */
export interface HintedPools {
  creations: readonly PoolCreation[];
  /** Labels of the sources that answered, and of those that did not. */
  answered: readonly string[];
  failed: readonly string[];
}

/** Pools of third parties, until the factories' logs were read. Each source is asked once for a token in ten minutes. */
export interface PoolHints {
  /**
   * Starts the requests to the sources beside the read of the logs, so that `find` waits less. Does nothing if that read
   * will probably succeed: the index is complete, or the last read succeeded.
   */
  prefetch(token: LowerAddress): void;
  /** Whether the logs were read. */
  sawLogs(isRead: boolean): void;
  /** The confirmed pools, from memory. */
  recall(token: LowerAddress): HintedPools;
  /** Asks the sources and confirms their pools on the chain. Never rejects. */
  find(token: LowerAddress, node: Node): Promise<HintedPools>;
}

/** Maximum number of hints that the chain is asked about for each token. */
const maxHints = 20;
/** How long sources are waited for, in milliseconds. A later reply serves the next query. */
const sourceMs = 600;
/** A source that takes longer has failed. */
const lateMs = 10_000;
const maxTokens = 1_024;
const keptMs = 600_000;
/** Delay before the sources are asked again if one failed. */
const failedMs = 60_000;

export const noHints: HintedPools = { creations: [], answered: [], failed: [] };

/** The reply of one source; undefined: it failed or was late. */
interface Reply {
  label: string;
  pools: readonly Hex[] | undefined;
}

interface Entry {
  replies: Promise<readonly Reply[]>;
  confirming: Promise<HintedPools> | undefined;
  found: HintedPools;
  until: number;
}

interface HintPorts extends HintTables {
  deployment: Pick<Deployment, 'venues' | 'routingAssets' | 'pricingAssets'>;
  sources: readonly PoolHintSource[];
  index: Pick<PoolIndex, 'state'> | undefined;
  now: () => number;
}

export function createPoolHints({ sources, index, now, ...tables }: HintPorts): PoolHints {
  const kept = new Memory<LowerAddress, Entry>({ maxEntries: maxTokens });
  const { routingAssets, pricingAssets } = tables.deployment;
  // These have too many pools, and enumeration finds the largest.
  const excluded = new Set([...routingAssets, ...pricingAssets].map(({ address }) => address));
  const isAsked = (token: LowerAddress) => sources.length > 0 && !excluded.has(token);
  let readsLogs = false;

  function start(token: LowerAddress): Entry {
    const known = kept.get(token);
    if (known && now() < known.until) return known;
    const asked = sources.map((source) => ask(source, token));
    const waits = asked.map((reply, at) =>
      within(sourceMs, reply, { label: sources[at]?.label ?? '', pools: undefined }),
    );
    const entry: Entry = {
      replies: Promise.all(waits),
      confirming: undefined,
      // Confirmed pools still exist, even if no source lists them any more.
      found: known?.found ?? noHints,
      until: now() + keptMs,
    };
    kept.set(token, entry);
    void useLate(entry, asked);
    return entry;
  }

  /** Makes the next query confirm the pools of late sources too. */
  async function useLate(entry: Entry, asked: readonly Promise<Reply>[]): Promise<void> {
    const [inTime, all] = await Promise.all([entry.replies, Promise.all(asked)]);
    if (!all.some(({ pools }, at) => pools && !inTime[at]?.pools)) return;
    entry.replies = Promise.resolve(all);
    entry.confirming = undefined;
    if (all.every(({ pools }) => pools)) entry.until = now() + keptMs;
  }

  async function confirm(token: LowerAddress, entry: Entry, node: Node): Promise<HintedPools> {
    const replies = await entry.replies;
    const failed = replies.flatMap(({ label, pools }) => (pools ? [] : label));
    if (failed.length > 0) entry.until = Math.min(entry.until, now() + failedMs);
    const hints = inTurn(replies.map(({ pools = [] }) => pools));
    const confirmed = hints.length > 0 ? await confirmHints(hints, tables, node).catch(() => undefined) : [];
    if (!confirmed) {
      // The next query asks the node again.
      entry.confirming = undefined;
      return { ...entry.found, answered: [], failed };
    }
    const isOwn = ({ currency0, currency1 }: PoolCreation) => currency0 === token || currency1 === token;
    const all = [...confirmed.filter(isOwn), ...entry.found.creations];
    entry.found = {
      creations: [...new Map(all.map((creation) => [creation.id, creation])).values()].slice(0, maxHints),
      answered: replies.flatMap(({ label, pools }) => (pools ? label : [])),
      failed,
    };
    return entry.found;
  }

  return {
    prefetch(token) {
      if (isAsked(token) && !readsLogs && index?.state().status !== 'complete') start(token);
    },
    sawLogs(isRead) {
      readsLogs = isRead;
    },
    recall: (token) => kept.get(token)?.found ?? noHints,
    async find(token, node) {
      if (!isAsked(token)) return noHints;
      const entry = start(token);
      entry.confirming ??= confirm(token, entry, node);
      return entry.confirming;
    },
  };
}

/** Ignores every error, because hints are optional. */
async function ask(source: PoolHintSource, token: LowerAddress): Promise<Reply> {
  const signal = AbortSignal.timeout(lateMs);
  const asked = Promise.resolve()
    .then(() => source.fetchPools(token, { signal }))
    .catch(() => undefined);
  return { label: source.label, pools: await within(lateMs, asked, undefined) };
}

/** The first pools of all lists in turn, each once, so that no source can crowd out another. */
function inTurn(lists: readonly (readonly Hex[])[]): Hex[] {
  const longest = Math.min(maxHints, Math.max(0, ...lists.map(({ length }) => length)));
  const all = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  return [...new Set(all)].slice(0, maxHints);
}
