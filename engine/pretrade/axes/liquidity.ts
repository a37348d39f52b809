import { getAddress, type Hex } from 'viem';
import { kinds } from '../../venues/kinds.ts';
import { hasSwapHook } from '../../venues/uniswapV4/poolKey.ts';
import { tameText } from '../context/tameText.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';
import type { Enumerated } from '../tokenReading.ts';
import { drainedShare } from '../verdict.ts';
import type { LiquidityFinding, LiquidityInput, PricedExit } from './liquidityTypes.ts';
import { midUsdOf } from './midUsd.ts';
import type { UsdPrices } from './usdPrices.ts';

/** Included wherever the answer says that an exit is missing: what no balance can show. */
const unseenVenues = 'Pools of Curve, Maverick and Ekubo are not covered.';

/** A singleton's balance that purchases of its measured pools do not bring out: beyond this part it is unmeasured. */
const explainedPart = 0.9;

/** The liquidity axis: spec, `liquidityCoverage` and `risk_profile.liquidity`. Pure. */
export function weighLiquidity(input: LiquidityInput): LiquidityFinding {
  const { reading, prices } = input;
  const exits = reading.exits
    .map((exit, index) => ({ exit, venue: venueOf(exit, input), drawnUsd: drawnUsd(exit, index, reading, prices) }))
    .sort((a, b) => (b.drawnUsd ?? 0) - (a.drawnUsd ?? 0));
  const unread = unreadVenues(input, exits);
  const singletons = exits.filter(({ exit }) => exit.kind >= kinds.v4);
  const unmeasured = unmeasuredVenues(input, singletons);
  const refusedByHook = exits.filter(({ exit }) => exit.status === 'rejected' && mayBeSelective(exit));
  const skipped = exits.filter(({ exit }) => exit.status === 'not-asked').length + input.dropped.length;
  const found = exits.length + input.dropped.length;
  const unpriced = exits.filter(({ exit, drawnUsd: drawn }) => drawn === undefined && exit.drawn > 0n);
  const checked = factoriesChecked(input);
  const scanTruncated =
    input.creationsTruncated ||
    input.dropped.some(({ kind }) => kind >= kinds.v4) ||
    singletons.some(({ exit }) => exit.status === 'unread' || exit.status === 'not-asked');

  const reasons: string[] = unpriced.length > 0 ? [...input.doubts] : [];
  if (!input.enumerated.ok) reasons.push(sayUnlisted(input.enumerated, reading.blockNumber));
  if (checked === 0 && unread.length === 0) {
    reasons.push('No covered factory exists at this block, so no pool could be searched for.');
  }
  if (unread.length > 0) reasons.push(`Not read at this block: ${unread.join(', ')}.`);
  if (skipped > 0 || input.creationsTruncated) {
    const atLeast = input.creationsTruncated ? 'at least ' : '';
    reasons.push(
      `Measured ${found - skipped} of ${atLeast}${found} pools, the largest first (per-call limit); exit liquidity is a lower bound.`,
    );
  }
  if (unmeasured.length > 0) {
    reasons.push(
      `${unmeasured.join(', ')} ${unmeasured.length > 1 ? 'hold' : 'holds'} more of the token than the measured pools explain; another exit may exist.`,
    );
  }
  if (refusedByHook.length > 0) {
    reasons.push(
      `${refusedByHook.length} pool(s) with a hook or plugin refused the simulated sale; they may accept other callers.`,
    );
  }
  reasons.push(...describeUnpriced(unpriced, input));

  const drawnAmounts = exits.map((entry) => entry.drawnUsd ?? 0);
  const total = drawnAmounts.reduce((sum, drawn) => sum + drawn, 0);
  const complete =
    checked > 0 &&
    input.enumerated.ok &&
    unread.length === 0 &&
    unmeasured.length === 0 &&
    refusedByHook.length === 0 &&
    skipped === 0 &&
    unpriced.length === 0 &&
    !scanTruncated;
  // What is already drawn cannot become less by reading more.
  const conclusive = complete || total >= input.sizeUsd * drainedShare;
  // A known part is a lower bound; nothing found beside something unmeasured is no zero.
  const exitLiquidityUsd = total === 0 && !complete ? null : total;
  const poolsFound = checked > 0 || found > 0 ? found : null;
  const asOf = Number(reading.blockNumber);
  const largest = drawnAmounts[0] ?? 0;
  return {
    section: {
      poolCount: poolsFound,
      venueCount: poolsFound === null ? null : new Set(exits.map(({ venue }) => venue)).size,
      largestPoolSharePct: total > 0 ? (largest / total) * 100 : null,
      exitLiquidityUsd,
      note: noteOf(exits, { unpriced: unpriced.length, complete, isUnknown: exitLiquidityUsd === null }),
    },
    coverage: {
      conclusive,
      poolsFound,
      factoriesChecked: checked,
      unmeasuredVenues: unmeasured.length,
      unmeasuredVenueNames: unmeasured,
      venuesUnread: unread.length,
      singletonPoolsSeen: singletons.length,
      singletonPoolsCounted: singletons.filter(({ exit, drawnUsd: drawn }) => exit.drawn > 0n && drawn !== undefined)
        .length,
      singletonPoolsRejected: singletons.filter(({ exit }) => exit.status === 'rejected').length,
      singletonPoolsHooked: singletons.filter(({ exit }) => isHooked(exit)).length,
      singletonScanTruncated: scanTruncated,
      asOfBlockFirst: asOf,
      asOfBlock: asOf,
    },
    exits,
    midUsd: midUsdOf(exits, input),
    reasons,
    measuredUsd: total,
    atMostUsd: complete ? atMostUsd(exits, prices) : null,
    complete,
  };
}

/** Assets of our lists have a price source, so their price is unavailable rather than unknown. */
function describeUnpriced(unpriced: readonly PricedExit[], { reading, deployment }: LiquidityInput): string[] {
  const symbolOf = ({ exit }: PricedExit) =>
    deployment.pricingAssets.find(({ address }) => address.toLowerCase() === exit.counter.toLowerCase())?.symbol;
  const listed = [...new Set(unpriced.map(symbolOf).filter((symbol) => symbol !== undefined))];
  const others = unpriced.filter((entry) => symbolOf(entry) === undefined).length;
  const sequencer = reading.sequencer === 'down' || reading.sequencer === 'unread';
  const why = sequencer
    ? ` because the sequencer feed ${reading.sequencer === 'down' ? 'reports an outage' : 'could not be read'}`
    : '';
  return [
    ...listed.map((symbol) => `The USD price of ${symbol} is unavailable${why}; pools that pay in it are not counted.`),
    ...(others > 0 ? [`${others} pool(s) pay in an asset without a known USD price.`] : []),
  ];
}

/** The sum of what no sale can exceed; null if one pool has no such bound. */
function atMostUsd(exits: readonly PricedExit[], prices: UsdPrices): number | null {
  let sum = 0;
  for (const { exit, drawnUsd: drawn } of exits) {
    const { most } = exit;
    if (most === undefined || drawn === undefined) return null;
    const price = prices.get(exit.counter.toLowerCase());
    if (price) sum += Number(most) * price.usdPerUnit;
    // Sold on in a second pool, more brings at most proportionally more.
    else if (exit.drawn > 0n) sum += (drawn * Number(most)) / Number(exit.drawn);
    else if (most > 0n) return null;
  }
  return sum;
}

/** What was not looked up, and how far the index is that will spare the asking. */
function sayUnlisted({ reason, index }: Extract<Enumerated, { ok: false }>, head: bigint): string {
  const refused = `Pools with unlisted counter-assets or hooks could not be searched for: the node refused the factories' logs (${tameText(reason, 120)}).`;
  if (!index) return refused;
  if (index.status === 'unread') return `${refused} The pool index could not be read.`;
  if (index.status === 'empty') return `${refused} The pool index is empty so far.`;
  return `${refused} The pool index covers blocks up to ${index.scannedTo} of ${head}.`;
}

const isHooked = ({ hooks }: ExitPool) => hasSwapHook(hooks);
/** Hooks and Algebra's plugins may refuse one caller and serve the next; other pools treat all alike. */
const mayBeSelective = (exit: ExitPool) => isHooked(exit) || exit.kind === kinds.algebra;

function venueOf(exit: ExitPool, { slots, known }: LiquidityInput): string {
  if (exit.slot !== undefined) return slots[exit.slot]?.venue ?? 'unknown';
  return known.find(({ pool }) => pool.toLowerCase() === exit.pool.toLowerCase())?.venue ?? 'unknown';
}

/** 0 where a sale brings nothing or is refused; undefined where it brings an asset whose worth is unknown. */
function drawnUsd(exit: ExitPool, index: number, reading: ExitReading, prices: UsdPrices): number | undefined {
  if (exit.status === 'unread' || exit.status === 'not-asked') return undefined;
  if (exit.drawn === 0n) return 0;
  const price = prices.get(exit.counter.toLowerCase());
  if (price) return Number(exit.drawn) * price.usdPerUnit;
  if (reading.bases.some(({ token }) => token.toLowerCase() === exit.counter.toLowerCase())) return undefined;
  // Worth what a second sale, into any base asset, really brings.
  const hops = reading.hops.filter((hop) => hop.exit === index);
  if (hops.length === 0) return undefined;
  const worths = hops.map(({ base, received }) => {
    if (received === 0n) return 0;
    const hopPrice = prices.get(reading.bases[base]?.token.toLowerCase() ?? '');
    return hopPrice ? Number(received) * hopPrice.usdPerUnit : undefined;
  });
  const known = worths.filter((worth) => worth !== undefined);
  return known.length === worths.length || known.some((worth) => worth > 0) ? Math.max(0, ...known) : undefined;
}

function unreadVenues(input: LiquidityInput, exits: readonly PricedExit[]): string[] {
  const { reading, slots, holders } = input;
  const names = new Set(deniedVenues(input));
  for (const { statuses } of reading.pairs) {
    for (const [index, status] of statuses.entries()) {
      const venue = slots[index]?.venue;
      if (status === 'unread' && venue) names.add(venue);
    }
  }
  for (const { exit, venue } of exits) if (exit.status === 'unread') names.add(venue);
  // An address without code holds nothing and answers nothing: that is no outage.
  if (reading.hasCode) {
    for (const [index, { name }] of holders.entries()) if (reading.balances[index] === undefined) names.add(name);
  }
  return [...names].sort();
}

/** Venues that made a pool by their own logs and now answer that there is none: one of the two is no answer. */
function deniedVenues({ reading, slots, listed }: LiquidityInput): string[] {
  const denied = listed.filter(({ kind, venue, counter }) => {
    const pair = reading.pairs.find((entry) => entry.counter.toLowerCase() === counter.toLowerCase());
    const statuses = pair?.statuses.filter((_, index) => slots[index]?.kind === kind && slots[index]?.venue === venue);
    return statuses?.every((status) => status === 'no-pool');
  });
  return denied.map(({ venue }) => venue);
}

/** Venues that hold the token, beyond what sales and purchases in their measured pools account for. */
function unmeasuredVenues({ reading, holders }: LiquidityInput, singletons: readonly PricedExit[]): string[] {
  return holders
    .filter(({ address, covered }, index) => {
      const balance = reading.balances[index] ?? 0n;
      if (balance === 0n) return false;
      if (!covered) return true;
      const stock = singletons
        .filter(({ exit }) => exit.pool.toLowerCase() === address.toLowerCase())
        .reduce((sum, { exit }) => sum + exit.stock, 0n);
      return Number(stock) < Number(balance) * explainedPart;
    })
    .map(({ name }) => name);
}

function factoriesChecked({ reading, slots }: LiquidityInput): number {
  const asked = new Set<string>();
  for (const { statuses } of reading.pairs) {
    for (const [index, status] of statuses.entries()) {
      const factory = slots[index]?.factory;
      if (factory && status !== 'no-factory' && status !== 'unread') asked.add(factory.toLowerCase());
    }
  }
  return asked.size;
}

function noteOf(
  exits: readonly PricedExit[],
  { unpriced, complete, isUnknown }: { unpriced: number; complete: boolean; isUnknown: boolean },
): string {
  const [largest] = exits;
  if (!largest) {
    return complete
      ? `No pool of the token was found on the covered factories. ${unseenVenues}`
      : 'No pool of the token was found, but not every venue could be measured.';
  }
  const unknown =
    unpriced > 0 ? ` ${unpriced} pool(s) pay in assets without a known price and are not in the sum.` : '';
  const found = isUnknown
    ? 'It is unavailable: not every venue could be measured, and sales into the others draw nothing.'
    : `Largest: ${largest.venue} ${toShown(largest.exit.id)}.`;
  return (
    `exitLiquidityUsd is what simulated sales draw from ${complete ? 'every pool' : 'the measured pools'} down to 1/100 of ` +
    `the price, before taxes of the token. ${found}${unknown}`
  );
}

/** An address with its checksum; the id of a singleton's pool as it is. */
const toShown = (id: Hex) => (id.length === 42 ? getAddress(id) : id);
