import type { LiquidityInput, PricedExit } from './liquidityTypes.ts';

export function unreadVenues(input: LiquidityInput, exits: readonly PricedExit[]): string[] {
  const { reading, candidatePools, holders } = input;
  const names = new Set(deniedVenues(input));
  for (const { statuses } of reading.pairs) {
    for (let index = statuses.indexOf('unread'); index >= 0; index = statuses.indexOf('unread', index + 1)) {
      const venue = candidatePools[index]?.venue;
      if (venue) names.add(venue);
    }
  }
  for (const { exit, venue } of exits) if (exit.status === 'unread') names.add(venue);
  // Calls to an address without code return nothing. That is not an outage.
  if (reading.hasCode) {
    for (const [index, { name }] of holders.entries()) if (reading.balances[index] === undefined) names.add(name);
  }
  return [...names].sort();
}

/** Venues whose factory does not return a pool that its logs contain. They count as unread because of the contradiction. */
function deniedVenues({ reading, candidatePools, listed }: LiquidityInput): string[] {
  const denied = listed.filter(({ kind, venue, counter }) => {
    const pair = reading.pairs.find((entry) => entry.counter === counter);
    const statuses = pair?.statuses.filter(
      (_, index) => candidatePools[index]?.kind === kind && candidatePools[index]?.venue === venue,
    );
    return statuses?.every((status) => status === 'no-pool');
  });
  return denied.map(({ venue }) => venue);
}

/**
 * Venues that may contain pools of the token which were not searched for: uncovered singletons that hold it. The logs of a
 * covered singleton contain each of its pools, so a balance beside these proves nothing; anyone can transfer tokens there.
 */
export const unmeasuredVenues = ({ reading, holders }: LiquidityInput): string[] =>
  holders.filter(({ covered }, index) => !covered && (reading.balances[index] ?? 0n) > 0n).map(({ name }) => name);

export function factoriesChecked({ reading, candidatePools }: LiquidityInput): number {
  const searched = candidatePools.filter((_, index) =>
    reading.pairs.some(
      ({ statuses: { [index]: status = 'unread' } }) => status !== 'no-factory' && status !== 'unread',
    ),
  );
  return new Set(searched.map(({ factory }) => factory)).size;
}
