import type { LiquidityInput, PricedExit } from './liquidityTypes.ts';

/** A singleton counts as measured if its measured pools account for at least this part of its token balance. */
const explainedPart = 0.9;

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

/** Venues that hold more of the token than their measured pools account for. */
export function unmeasuredVenues({ reading, holders }: LiquidityInput, singletons: readonly PricedExit[]): string[] {
  return holders
    .filter(({ address, covered }, index) => {
      const balance = reading.balances[index] ?? 0n;
      if (balance === 0n) return false;
      if (!covered) return true;
      const stock = singletons
        .filter(({ exit }) => exit.pool === address)
        .reduce((sum, { exit }) => sum + exit.stock, 0n);
      return Number(stock) < Number(balance) * explainedPart;
    })
    .map(({ name }) => name);
}

export function factoriesChecked({ reading, candidatePools }: LiquidityInput): number {
  const searched = new Set<string>();
  for (const [index, { factory }] of candidatePools.entries()) {
    // A factory has many candidate pools.
    if (searched.has(factory)) continue;
    const isSearched = reading.pairs.some(({ statuses: { [index]: status } }) => {
      return status !== undefined && status !== 'no-factory' && status !== 'unread';
    });
    if (isSearched) searched.add(factory);
  }
  return searched.size;
}
