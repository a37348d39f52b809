import type { LowerAddress } from '../../lowerAddress.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';

/**
 * The account that gives the counter-asset of a simulated purchase; null: native currency buys it. Another pool of that
 * asset where one is known, because a gift out of the traded pool itself moves its price.
 */
export function findFunder(pool: ExitPool, { exits, hops }: ExitReading, wrapped: LowerAddress): LowerAddress | null {
  if (pool.counter === wrapped) return null;
  const others = hops
    .filter(({ exit, received }) => received > 0n && exits[exit] && exits[exit].counter === pool.counter)
    .map((hop) => hop.pool);
  return others.find((other) => other !== pool.pool) ?? pool.pool;
}
