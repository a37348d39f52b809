import { kinds } from '../../venues/kinds.ts';
import type { BalanceReading, Holding } from '../readBalances.ts';
import type { ExitPool, KnownPool } from './exitTypes.ts';

const pairKinds: readonly number[] = [kinds.v2, kinds.solidly, kinds.solidlyPair, kinds.selfPricedPair];

/** What pairs from the logs hold of their counter-assets: to be asked beside the exit lens. */
export function toCounterHoldings(pools: readonly KnownPool[]): Holding[] {
  return pools
    .filter(({ kind }) => pairKinds.includes(kind))
    .map(({ counter, pool }) => ({ token: counter, holder: pool }));
}

/**
 * A pair that cannot be read because its counter-asset has no balance to tell is no outage: anybody can make one, in any
 * asset, and would keep every check of the token from a conclusion. Such a pair pays nothing.
 */
export function settleDeadCounters(
  exits: readonly ExitPool[],
  holdings: readonly Holding[],
  balances: readonly BalanceReading[],
): ExitPool[] {
  const told = new Map(holdings.map(({ holder }, index) => [holder.toLowerCase(), balances[index]]));
  return exits.map((exit) => {
    const balance = exit.slot === undefined && exit.status === 'unread' ? told.get(exit.pool.toLowerCase()) : undefined;
    if (balance?.status === 'unreadable') return { ...exit, status: 'rejected', most: 0n };
    return balance?.status === 'read' && balance.amount === 0n ? { ...exit, status: 'empty', most: 0n } : exit;
  });
}
