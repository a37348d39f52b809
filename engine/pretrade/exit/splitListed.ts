import type { LowerAddress } from '../../lowerAddress.ts';
import { hasSlot } from '../../pools/poolEvents.ts';
import type { PoolCreation } from '../../pools/poolIndex.ts';
import { kinds, nativeCurrency, noHooks } from '../../venues/kinds.ts';
import type { Slot } from '../../venues/slot.ts';
import type { KnownPool } from './exitTypes.ts';

/** The pool as seen from the token; undefined if it does not hold the token or no covered factory created it. */
function toKnownPool(
  { event, factory, id, currency0, currency1, fee, tickSpacing, hooks }: PoolCreation,
  token: string,
  slots: readonly Slot[],
  wrapped: LowerAddress,
): KnownPool | undefined {
  const slot = slots.find((candidate) => candidate.factory === factory);
  if (!slot || (currency0 !== token && currency1 !== token)) return undefined;
  const counter = currency0 === token ? currency1 : currency0;
  const { venue } = slot;
  if (event === 'v4') {
    const native = counter === nativeCurrency;
    const kind = native ? kinds.v4Native : kinds.v4;
    return { kind, pool: slot.factory, counter: native ? wrapped : counter, fee, tickSpacing, hooks, venue };
  }
  const kind = {
    pair: kinds.v2,
    v3: kinds.v3,
    slipstream: kinds.slipstream,
    solidly: kinds.solidly,
    algebra: kinds.algebra,
    'algebra-custom': kinds.algebra,
  };
  const poolFee = event === 'pair' ? slot.fee : fee;
  return { kind: kind[event], pool: id as LowerAddress, counter, fee: poolFee, tickSpacing: 0, hooks: noHooks, venue };
}

/**
 * Splits the token's pools from logs, without duplicates. A search over slots must also find the `listed` ones (base asset,
 * listed shape). If it does not, the factory contradicts its own log.
 */
export function splitListed(
  creations: readonly PoolCreation[],
  token: LowerAddress,
  {
    slots,
    bases,
    wrapped,
  }: { slots: readonly Slot[]; bases: readonly { address: LowerAddress }[]; wrapped: LowerAddress },
): { listed: KnownPool[]; unlisted: KnownPool[] } {
  const based = new Set(bases.map(({ address }) => address));
  // Later releases of Algebra Integral log a custom pool as a default pool too, but the factory does not return it.
  const custom = new Set(creations.filter(({ event }) => event === 'algebra-custom').map(({ id }) => id));
  const split = { listed: new Map<string, KnownPool>(), unlisted: new Map<string, KnownPool>() };
  for (const creation of creations) {
    const pool = toKnownPool(creation, token, slots, wrapped);
    if (!pool || (creation.event === 'algebra' && custom.has(creation.id))) continue;
    const isListed = based.has(pool.counter) && hasSlot(creation, slots);
    split[isListed ? 'listed' : 'unlisted'].set(poolKey(pool), pool);
  }
  return { listed: [...split.listed.values()], unlisted: [...split.unlisted.values()] };
}

/** Identity of a pool: its key in a singleton, otherwise its address alone, because one pair can have several kinds. */
export const poolKey = ({ kind, pool, counter, fee, tickSpacing, hooks }: Omit<KnownPool, 'venue'>): string =>
  kind < kinds.v4 ? pool : [kind, pool, counter, fee, tickSpacing, hooks].join('|');
