import { type Address, getAddress, type Hex } from 'viem';
import { kinds } from '../../venues/kinds.ts';
import type { Deployment, Slot } from '../../venues/venueTypes.ts';
import { tameText } from '../context/tameText.ts';
import type { ExitPool, ExitReading, KnownPool } from '../exit/exitTypes.ts';
import type { LiquidityCoverage, LiquiditySection } from '../pretradeTypes.ts';
import type { Enumerated } from '../tokenReading.ts';
import { midUsdOf } from './midUsd.ts';
import type { UsdPrices } from './usdPrices.ts';

/** Included wherever the answer says that an exit is missing: what no balance can show. */
const unseenVenues =
  'Pools of Curve and Maverick, which are contracts of their own, and of Ekubo, which has no confirmed deployment, are not looked at.';

/** Bits of a hook's address that let it touch a swap (v4-core, Hooks.sol): before, after, and their deltas. */
const swapPermissions = 0xccn;
/** A singleton's balance that purchases of its measured pools do not bring out: beyond this part it is unmeasured. */
const explainedPart = 0.9;

export interface LiquidityInput {
  token: Address;
  reading: ExitReading;
  slots: readonly Slot[];
  deployment: Deployment;
  known: readonly KnownPool[];
  /** Pools that the factories' logs name and a slot must find. */
  listed: readonly KnownPool[];
  /** Whether the factories' logs told every pool of the token, or why not. */
  enumerated: Enumerated;
  /** More pools were named than were measured. */
  knownTruncated: boolean;
  prices: UsdPrices;
  /** Why an asset has no price although there is a feed. */
  doubts: readonly string[];
  /** Names beside `reading.balances`; singletons that are covered carry `covered`. */
  holders: readonly { name: string; address: string; covered: boolean }[];
}

/** A pool with its pot in USD; undefined: the counter-asset has no price. */
export interface PricedExit {
  exit: ExitPool;
  venue: string;
  potUsd: number | undefined;
}

export interface LiquidityFinding {
  section: LiquiditySection;
  coverage: LiquidityCoverage;
  /** Largest pot first. */
  exits: PricedExit[];
  /** USD for a whole token at the mid of the deepest pool. */
  midUsd: number | null;
  reasons: string[];
}

/** The liquidity axis: spec, `liquidityCoverage` and `risk_profile.liquidity`. Pure. */
export function weighLiquidity(input: LiquidityInput): LiquidityFinding {
  const { reading, prices } = input;
  const exits = reading.exits
    .map((exit, index) => ({ exit, venue: venueOf(exit, input), potUsd: potUsd(exit, index, reading, prices) }))
    .sort((a, b) => (b.potUsd ?? 0) - (a.potUsd ?? 0));
  const unread = unreadVenues(input, exits);
  const singletons = exits.filter(({ exit }) => exit.kind >= kinds.v4);
  const unmeasured = unmeasuredVenues(input, singletons);
  const refusedByHook = exits.filter(({ exit }) => exit.status === 'rejected' && mayBeSelective(exit));
  const skipped = exits.filter(({ exit }) => exit.status === 'not-asked');
  const unpriced = exits.filter(({ exit, potUsd: pot }) => pot === undefined && exit.pot > 0n);
  const checked = factoriesChecked(input);
  const scanTruncated =
    input.knownTruncated || singletons.some(({ exit }) => exit.status === 'unread' || exit.status === 'not-asked');

  const reasons: string[] = unpriced.length > 0 ? [...input.doubts] : [];
  if (!input.enumerated.ok) reasons.push(sayUnlisted(input.enumerated, reading.blockNumber));
  if (checked === 0 && unread.length === 0) {
    reasons.push('No covered factory is there at this block: nobody could be asked for pools.');
  }
  if (unread.length > 0) reasons.push(`Not read on this call: ${unread.join(', ')}. A retry may complete the answer.`);
  if (skipped.length > 0) {
    reasons.push(
      `${skipped.length} of ${exits.length} pools were left unmeasured by the work cap of one call; the exit pot is at least what is told.`,
    );
  }
  if (unmeasured.length > 0) {
    reasons.push(
      `${unmeasured.join(', ')} ${unmeasured.length > 1 ? 'hold' : 'holds'} the token in ways that cannot be measured, so no statement that an exit is missing is made.`,
    );
  }
  if (refusedByHook.length > 0) {
    reasons.push(
      `${refusedByHook.length} pool(s) with hooks or plugins refused the simulated sale; another caller may be let through.`,
    );
  }
  if (unpriced.length > 0) reasons.push(`${unpriced.length} pool(s) pay in an asset without a known USD price.`);

  const pots = exits.map((entry) => entry.potUsd ?? 0);
  const total = pots.reduce((sum, pot) => sum + pot, 0);
  const conclusive =
    checked > 0 &&
    input.enumerated.ok &&
    unread.length === 0 &&
    unmeasured.length === 0 &&
    refusedByHook.length === 0 &&
    skipped.length === 0 &&
    unpriced.length === 0 &&
    !scanTruncated;
  // A known part is a lower bound; nothing found beside something unmeasured is no zero.
  const exitLiquidityUsd = total === 0 && !conclusive ? null : total;
  const poolsFound = checked > 0 || exits.length > 0 ? exits.length : null;
  const asOf = Number(reading.blockNumber);
  const largest = pots[0] ?? 0;
  return {
    section: {
      poolCount: poolsFound,
      venueCount: poolsFound === null ? null : new Set(exits.map(({ venue }) => venue)).size,
      largestPoolSharePct: total > 0 ? (largest / total) * 100 : null,
      exitLiquidityUsd,
      note: noteOf(exits, { unpriced: unpriced.length, conclusive, isUnknown: exitLiquidityUsd === null }),
    },
    coverage: {
      conclusive,
      poolsFound,
      factoriesChecked: checked,
      unmeasuredVenues: unmeasured.length,
      unmeasuredVenueNames: unmeasured,
      venuesUnread: unread.length,
      singletonPoolsSeen: singletons.length,
      singletonPoolsCounted: singletons.filter(({ exit, potUsd: pot }) => exit.pot > 0n && pot !== undefined).length,
      singletonPoolsRejected: singletons.filter(({ exit }) => exit.status === 'rejected').length,
      singletonPoolsHooked: singletons.filter(({ exit }) => isHooked(exit)).length,
      singletonScanTruncated: scanTruncated,
      asOfBlockFirst: asOf,
      asOfBlock: asOf,
    },
    exits,
    midUsd: midUsdOf(exits, input),
    reasons,
  };
}

/** What was not looked up, and how far the index is that will spare the asking. */
function sayUnlisted({ reason, index }: Extract<Enumerated, { ok: false }>, head: bigint): string {
  const refused = `Pools with counter-assets or hooks outside our lists could not be looked up: the node refused the factories' logs (${tameText(reason, 120)}).`;
  if (!index) return refused;
  if (index.status === 'unread') return `${refused} The index of them could not be read.`;
  if (index.status === 'empty') return `${refused} The index of them is being begun.`;
  return `${refused} The index of them holds blocks up to ${index.scannedTo} of ${head}.`;
}

const isHooked = ({ hooks }: ExitPool) => (BigInt(hooks) & swapPermissions) !== 0n;
/** Hooks and Algebra's plugins may refuse one caller and serve the next; other pools treat all alike. */
const mayBeSelective = (exit: ExitPool) => isHooked(exit) || exit.kind === kinds.algebra;

function venueOf(exit: ExitPool, { slots, known }: LiquidityInput): string {
  if (exit.slot !== undefined) return slots[exit.slot]?.venue ?? 'unknown';
  return known.find(({ pool }) => pool.toLowerCase() === exit.pool.toLowerCase())?.venue ?? 'unknown';
}

/** 0 where a sale brings nothing or is refused; undefined where it brings an asset whose worth is unknown. */
function potUsd(exit: ExitPool, index: number, reading: ExitReading, prices: UsdPrices): number | undefined {
  if (exit.status === 'unread' || exit.status === 'not-asked') return undefined;
  if (exit.pot === 0n) return 0;
  const price = prices.get(exit.counter.toLowerCase());
  if (price) return Number(exit.pot) * price.usdPerUnit;
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
  { unpriced, conclusive, isUnknown }: { unpriced: number; conclusive: boolean; isUnknown: boolean },
): string {
  const [largest] = exits;
  if (!largest) {
    return conclusive
      ? `No pool of the token was found on the covered factories. ${unseenVenues}`
      : 'No pool of the token was found where one could be looked for; not every place that may hold one could be measured.';
  }
  const unknown =
    unpriced > 0 ? ` ${unpriced} pool(s) pay in assets without a known price and are not in the sum.` : '';
  const found = isUnknown
    ? 'None can be told: not every place could be measured, and the others draw nothing.'
    : `Largest: ${largest.venue} ${toShown(largest.exit.id)}.`;
  return (
    'exitLiquidityUsd is what simulated sales draw from every pool down to 1/100 of its price, in counter-assets, before ' +
    `taxes of the token. ${found}${unknown}`
  );
}

/** An address with its checksum; the id of a singleton's pool as it is. */
const toShown = (id: Hex) => (id.length === 42 ? getAddress(id) : id);
