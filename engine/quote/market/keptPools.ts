import type { LowerAddress } from '../../lowerAddress.ts';
import { Memory } from '../../memory.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import type { TokenPools } from './findTokenPools.ts';

/** The pools that searches found, by token. */
export interface KeptPools {
  get(token: LowerAddress): TokenPools | undefined;
  /** Whether the token's pools were never searched, or too long ago. */
  isDue(token: LowerAddress): boolean;
  hasPools(token: LowerAddress): boolean;
  /** Stores the pools, and those of an earlier search if some may be missing: they still exist. */
  set(token: LowerAddress, pools: TokenPools, options: { isForgotten: boolean }): void;
  /** Makes the token due, unless its last search failed or was truncated. */
  forget(token: LowerAddress): void;
}

const maxTokens = 1_024;
const keptMs = 600_000;
/** Delay before a failed or truncated search is repeated. */
const gapKeptMs = 30_000;

export function createKeptPools(now: () => number): KeptPools {
  const kept = new Memory<LowerAddress, TokenPools & { until: number }>({ maxEntries: maxTokens });
  return {
    get: (token) => kept.get(token),
    isDue: (token) => !((kept.get(token)?.until ?? 0) > now()),
    hasPools(token) {
      const { refs = [], weighted = [] } = kept.get(token) ?? {};
      return refs.length > 0 || weighted.length > 0;
    },
    set(token, pools, { isForgotten }) {
      const before = kept.get(token);
      const earlier = pools.gap === undefined ? [] : (before?.refs ?? []);
      const refs = [...new Map([...pools.refs, ...earlier].map((ref) => [ref.id, ref])).values()];
      const keptFor = pools.gap !== undefined ? gapKeptMs : isForgotten ? 0 : keptMs;
      const weighted = pools.weighted ?? before?.weighted;
      kept.set(token, { ...pools, refs: refs.slice(0, maxUnlistedPools), weighted, until: now() + keptFor });
    },
    forget(token) {
      const pools = kept.get(token);
      if (pools && pools.gap === undefined) pools.until = 0;
    },
  };
}
