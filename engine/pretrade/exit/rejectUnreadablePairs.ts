import type { BalanceReading, Holding } from '../../chain/readBalances.ts';
import { kinds } from '../../venues/kinds.ts';
import type { ExitPool, KnownPool } from './exitTypes.ts';

const pairKinds: readonly number[] = [kinds.v2, kinds.solidly, kinds.solidlyPair, kinds.selfPricedPair];

/** Balances of pairs from the logs in their counter-assets, read beside the exit lens. */
export function toCounterHoldings(pools: readonly KnownPool[]): Holding[] {
  return pools
    .filter(({ kind }) => pairKinds.includes(kind))
    .map(({ counter, pool }) => ({ token: counter, holder: pool }));
}

/**
 * A pair is not unread if its counter-asset has no readable balance: it pays nothing. Anyone can create such a pair, which
 * would otherwise make every check of the token inconclusive.
 */
export function rejectUnreadablePairs(
  exits: readonly ExitPool[],
  holdings: readonly Holding[],
  balances: readonly BalanceReading[],
): ExitPool[] {
  const balanceOf = new Map(holdings.map(({ holder }, index) => [holder, balances[index]]));
  return exits.map((exit) => {
    const balance = exit.slot === undefined && exit.status === 'unread' ? balanceOf.get(exit.pool) : undefined;
    if (balance?.status === 'unreadable') return { ...exit, status: 'rejected', most: 0n };
    return balance?.status === 'read' && balance.amount === 0n ? { ...exit, status: 'empty', most: 0n } : exit;
  });
}
