import type { LowerAddress } from '../../lowerAddress.ts';
import { customPools, hasCandidatePool } from '../../pools/poolEvents.ts';
import type { PoolCreation } from '../../pools/poolIndex.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { creationEvents } from '../../venues/families.ts';
import { isSingleton, nativeCurrency, noHooks } from '../../venues/kinds.ts';
import type { LoggedPool, PoolFields } from './exitTypes.ts';

/** The pool as seen from the token; undefined if it does not hold the token or no covered factory created it. */
function toLoggedPool(
  creation: PoolCreation,
  token: string,
  candidatePools: readonly CandidatePool[],
  wrapped: LowerAddress,
): LoggedPool | undefined {
  const { event, factory, id, currency0, currency1 } = creation;
  const own = candidatePools.find((candidate) => candidate.factory === factory);
  if (!own || (currency0 !== token && currency1 !== token)) return undefined;
  const other = currency0 === token ? currency1 : currency0;
  const counter = other === nativeCurrency ? wrapped : other;
  const { kind: logged, toCandidatePoolFields } = creationEvents[event];
  const { venue, kind, fee, tickSpacing, hooks } = { ...own, kind: logged, ...toCandidatePoolFields(creation) };
  if (isSingleton(kind)) return { kind, pool: own.factory, counter, fee, tickSpacing, hooks, venue };
  return { kind, pool: id as LowerAddress, counter, fee, tickSpacing: 0, hooks: noHooks, venue };
}

/**
 * Splits the token's pools from logs, without duplicates. A look-up of the candidate pools must also find the
 * `listed` ones (base asset, listed shape). If it does not, the factory contradicts its own log.
 */
export function splitListed(
  creations: readonly PoolCreation[],
  token: LowerAddress,
  {
    candidatePools,
    bases,
    wrapped,
  }: { candidatePools: readonly CandidatePool[]; bases: readonly { address: LowerAddress }[]; wrapped: LowerAddress },
): { listed: LoggedPool[]; unlisted: LoggedPool[] } {
  const based = new Set(bases.map(({ address }) => address));
  const custom = customPools(creations);
  const split = { listed: new Map<string, LoggedPool>(), unlisted: new Map<string, LoggedPool>() };
  for (const creation of creations) {
    const pool = toLoggedPool(creation, token, candidatePools, wrapped);
    if (!pool || (custom.has(creation.id) && !creationEvents[creation.event].isCustom)) continue;
    const isListed = based.has(pool.counter) && hasCandidatePool(creation, candidatePools);
    split[isListed ? 'listed' : 'unlisted'].set(poolKey(pool), pool);
  }
  return { listed: [...split.listed.values()], unlisted: [...split.unlisted.values()] };
}

/** Identity of a pool: its key in a singleton, otherwise its address alone, because one pair can have several kinds. */
export const poolKey = ({ kind, pool, counter, fee, tickSpacing, hooks }: PoolFields): string =>
  isSingleton(kind) ? [kind, pool, counter, fee, tickSpacing, hooks].join('|') : pool;
