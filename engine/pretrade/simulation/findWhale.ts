import { type Address, size } from 'viem';
import type { LensReading } from '../../quote/lensReading.ts';
import type { Slot } from '../../venues/venueTypes.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';

export interface WhaleFacts {
  exit: ExitReading;
  market: LensReading | undefined;
  slots: readonly Slot[];
  wrapped: Address;
}

/**
 * Who gives the counter-asset of a simulated purchase; null: nobody has to, native money buys it. Another pool of that
 * asset where one is known, because a gift out of the traded pool itself moves its price.
 */
export function findWhale(pool: ExitPool, facts: WhaleFacts): Address | null {
  if (same(pool.counter, facts.wrapped)) return null;
  const others = [...marketHolders(pool.counter, facts), ...hopHolders(pool, facts.exit)];
  return others.find((holder) => !same(holder, pool.pool)) ?? pool.pool;
}

/** Pools of the quoted market that paid the asset out, most first; for the stable it was asked in, its native pools. */
function marketHolders(counter: Address, { market, slots, wrapped }: WhaleFacts): Address[] {
  if (!market) return [];
  const paysOut = ({ tokenIn, tokenOut }: { tokenIn: Address; tokenOut: Address }) =>
    same(tokenOut, counter) || (same(tokenIn, counter) && same(tokenOut, wrapped));
  return [...market.pools.values()]
    .filter(({ pair, status }) => status === 'filled' && market.pairs[pair] && paysOut(market.pairs[pair]))
    .sort((a, b) => (a.received < b.received ? 1 : -1))
    .map(({ pool, slot }) => (size(pool) === 20 ? pool : slots[slot]?.factory))
    .filter((address) => address !== undefined);
}

function hopHolders(pool: ExitPool, { exits, hops }: ExitReading): Address[] {
  const index = exits.indexOf(pool);
  return hops.filter(({ exit, received }) => exit === index && received > 0n).map((hop) => hop.pool);
}

const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase();
