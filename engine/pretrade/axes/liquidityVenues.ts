import type { LiquidityInput, PricedExit } from './liquidityTypes.ts';

/** A singleton's balance that purchases of its measured pools do not bring out: beyond this part it is unmeasured. */
const explainedPart = 0.9;

export function unreadVenues(input: LiquidityInput, exits: readonly PricedExit[]): string[] {
  const { reading, slots, holders } = input;
  const names = new Set(deniedVenues(input));
  for (const { statuses } of reading.pairs) {
    for (let index = statuses.indexOf('unread'); index >= 0; index = statuses.indexOf('unread', index + 1)) {
      const venue = slots[index]?.venue;
      if (venue) names.add(venue);
    }
  }
  for (const { exit, venue } of exits) if (exit.status === 'unread') names.add(venue);
  // An address without code holds nothing and answers nothing: that is no outage.
  if (reading.hasCode) {
    for (const [index, { name }] of holders.entries()) if (reading.balances[index] === undefined) names.add(name);
  }
  return [...names].sort();
}

/** Venues whose logs show a pool that their factory does not return. They count as unread, because the two contradict. */
function deniedVenues({ reading, slots, listed }: LiquidityInput): string[] {
  const denied = listed.filter(({ kind, venue, counter }) => {
    const pair = reading.pairs.find((entry) => entry.counter === counter);
    const statuses = pair?.statuses.filter((_, index) => slots[index]?.kind === kind && slots[index]?.venue === venue);
    return statuses?.every((status) => status === 'no-pool');
  });
  return denied.map(({ venue }) => venue);
}

/** Venues that hold the token, beyond what sales and purchases in their measured pools account for. */
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

export function factoriesChecked({ reading, slots }: LiquidityInput): number {
  const asked = new Set<string>();
  for (const [index, { factory }] of slots.entries()) {
    // A factory has many slots.
    if (asked.has(factory)) continue;
    const isAsked = reading.pairs.some(({ statuses: { [index]: status } }) => {
      return status !== undefined && status !== 'no-factory' && status !== 'unread';
    });
    if (isAsked) asked.add(factory);
  }
  return asked.size;
}
