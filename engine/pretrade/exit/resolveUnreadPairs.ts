import type { BalanceReading, Holding } from '../../chain/readBalances.ts';
import { isConcentrated } from '../../venues/kinds.ts';
import type { ExitPool, LoggedPool } from './exitTypes.ts';

/** The counter-asset balance of each pair from logs, to read in the exit lens's batch. */
export function toCounterHoldings(pools: readonly LoggedPool[]): Holding[] {
  return pools
    .filter(({ kind }) => !isConcentrated(kind))
    .map(({ counter, pool }) => ({ token: counter, holder: pool }));
}

/**
 * Gives unread pairs from logs that pay nothing a final status: `rejected` if the balance of the counter-asset is
 * unreadable, `empty` if it is 0. Anyone can create such a pair, and an unread pair makes every check inconclusive.
 */
export function resolveUnreadPairs(
  exits: readonly ExitPool[],
  holdings: readonly Holding[],
  balances: readonly BalanceReading[],
): ExitPool[] {
  const balanceOf = new Map(holdings.map(({ holder }, index) => [holder, balances[index]]));
  return exits.map((exit) => {
    const balance = exit.candidatePool === undefined && exit.status === 'unread' ? balanceOf.get(exit.pool) : undefined;
    if (balance?.status === 'unreadable') return { ...exit, status: 'rejected', most: 0n };
    return balance?.status === 'read' && balance.amount === 0n ? { ...exit, status: 'empty', most: 0n } : exit;
  });
}
