import type { LowerAddress } from '../../lowerAddress.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';

/**
 * The account that provides the counter-asset of a simulated purchase; null if that is the wrapped native token, which the
 * buyer's native coin pays. Another pool of the asset if one is known: a payment by the traded pool moves its price.
 */
export function findFunder(pool: ExitPool, { exits, hops }: ExitReading, wrapped: LowerAddress): LowerAddress | null {
  if (pool.counter === wrapped) return null;
  const others = hops
    .filter(({ exit, received }) => received > 0n && exits[exit] && exits[exit].counter === pool.counter)
    .map((hop) => hop.pool);
  return others.find((other) => other !== pool.pool) ?? pool.pool;
}
