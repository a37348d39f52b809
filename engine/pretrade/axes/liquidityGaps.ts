import { isSingleton, kinds } from '../../venues/kinds.ts';
import { hasSwapHook } from '../../venues/uniswapV4/poolKey.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import type { OutsidePair } from '../tokenReading.ts';
import { drainedShare } from '../verdict.ts';
import type { LiquidityInput, OutsideFinding, PricedExit } from './liquidityTypes.ts';
import { describeHinted, describeUnlisted, describeUnpriced } from './liquidityWords.ts';

/** Pools and venues that the measured exit liquidity does not include, or may not include. */
interface LiquidityGaps {
  /** Factories that were searched. */
  checked: number;
  /** Pools that were found. */
  found: number;
  /** Pools that were found but not measured. */
  skipped: number;
  unread: string[];
  unmeasured: string[];
  singletons: PricedExit[];
  scanTruncated: boolean;
  refusedByHook: PricedExit[];
  unpriced: PricedExit[];
  /** Contracts outside the covered factories that answer like pairs. */
  outside: OutsideFinding[];
}

export function findGaps(input: LiquidityInput, exits: readonly PricedExit[]): LiquidityGaps {
  const singletons = exits.filter(({ exit }) => isSingleton(exit.kind));
  return {
    checked: factoriesChecked(input),
    found: exits.length + input.dropped.length,
    skipped: exits.filter(({ exit }) => exit.status === 'not-requested').length + input.dropped.length,
    unread: unreadVenues(input, exits),
    unmeasured: unmeasuredVenues(input),
    singletons,
    scanTruncated:
      input.creationsTruncated ||
      input.dropped.some(({ kind }) => isSingleton(kind)) ||
      singletons.some(({ exit }) => exit.status === 'unread' || exit.status === 'not-requested'),
    refusedByHook: exits.filter(({ exit }) => exit.status === 'rejected' && mayBeSelective(exit)),
    unpriced: exits.filter(({ exit, drawnUsd }) => drawnUsd === undefined && exit.drawn > 0n),
    outside: (input.outside ?? []).map((pair) => weighOutside(pair, input)),
  };
}

/** A contract outside the covered factories can withdraw a trigger, and never raise one. */
function weighOutside(
  { pool, counter, balance, drawn }: OutsidePair,
  { prices, sizeUsd }: LiquidityInput,
): OutsideFinding {
  const usdPerUnit = prices.get(counter)?.usdPerUnit ?? 0;
  const drawnUsd = Number(drawn ?? 0n) * usdPerUnit;
  const enough = sizeUsd * drainedShare;
  const isUnknown = drawn === undefined && Number(balance) * usdPerUnit >= enough;
  return { pool, drawnUsd, state: drawnUsd >= enough ? 'pays' : isUnknown ? 'unknown' : 'too little' };
}

/** Whether every covered venue was searched, although pools may be unmeasured and assets may have no price. */
export const isSearched = (gaps: LiquidityGaps, { enumerated, creationsTruncated }: LiquidityInput): boolean =>
  gaps.checked > 0 &&
  enumerated.ok &&
  !creationsTruncated &&
  gaps.unread.length === 0 &&
  gaps.unmeasured.length === 0 &&
  gaps.refusedByHook.length === 0;

/** Whether the measured exit liquidity certainly includes every pool. */
export const isComplete = (gaps: LiquidityGaps, input: LiquidityInput): boolean =>
  isSearched(gaps, input) &&
  gaps.skipped === 0 &&
  gaps.unpriced.length === 0 &&
  !gaps.scanTruncated &&
  input.reach?.status !== 'unread' &&
  gaps.outside.every(({ state }) => state === 'too little');

export function describeGaps(gaps: LiquidityGaps, input: LiquidityInput): string[] {
  const { checked, found, skipped, unread, unmeasured, refusedByHook, unpriced } = gaps;
  const reasons: string[] = unpriced.length > 0 ? [...input.doubts] : [];
  if (!input.enumerated.ok) reasons.push(describeUnlisted(input.enumerated, input.reading.blockNumber));
  reasons.push(...describeHinted(input.hinted));
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
      `By balanceOf(), ${unmeasured.join(', ')} ${unmeasured.length > 1 ? 'hold' : 'holds'} more of the token than the measured pools explain; another exit may exist.`,
    );
  }
  if (refusedByHook.length > 0) {
    reasons.push(
      `${refusedByHook.length} pool(s) with a hook or plugin refused the simulated sale; they may accept other callers.`,
    );
  }
  return [...reasons, ...describeUnpriced(unpriced, input)];
}

export const isHooked = ({ hooks }: ExitPool): boolean => hasSwapHook(hooks);
/** Hooks and Algebra's plugins may refuse one caller and accept another; other pools treat all callers alike. */
const mayBeSelective = (exit: ExitPool) => isHooked(exit) || exit.kind === kinds.algebra;

function unreadVenues(input: LiquidityInput, exits: readonly PricedExit[]): string[] {
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
const unmeasuredVenues = ({ reading, holders }: LiquidityInput): string[] =>
  holders.filter(({ covered }, index) => !covered && (reading.balances[index] ?? 0n) > 0n).map(({ name }) => name);

function factoriesChecked({ reading, candidatePools }: LiquidityInput): number {
  const searched = candidatePools.filter((_, index) =>
    reading.pairs.some(
      ({ statuses: { [index]: status = 'unread' } }) => status !== 'no-factory' && status !== 'unread',
    ),
  );
  return new Set(searched.map(({ factory }) => factory)).size;
}
