import type { Axis } from '../attribution.ts';
import { derived, measured, none, unread, type WhyNull } from '../attribution.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';
import { poolKey } from '../exit/splitListed.ts';
import type { Signal } from '../pretradeTypes.ts';
import { atMostUsd, type ReachValue, toReachValue } from '../reach/reachValue.ts';
import { drainedShare } from '../verdict.ts';
import { describeGaps, findGaps, isComplete, isHooked, isSearched } from './liquidityGaps.ts';
import type { LiquidityFinding, LiquidityInput, PricedExit } from './liquidityTypes.ts';
import { describeOutside, describeReach, describeShared, noteOf } from './liquidityWords.ts';
import { midUsdOf } from './midUsd.ts';
import type { UsdPrices } from './usdPrices.ts';

/** The liquidity axis: spec, `liquidityCoverage` and `risk_profile.liquidity`. Pure. */
export function weighLiquidity(input: LiquidityInput): LiquidityFinding {
  const { reading, prices, reach } = input;
  const reachValue = reachValueOf(input);
  const exits = reading.exits
    .map((exit, index) => ({
      exit,
      venue: venueOf(exit, input),
      drawnUsd: drawnUsd(exit, index, { reading, prices, reach: reachValue }),
    }))
    .sort((a, b) => (b.drawnUsd ?? 0) - (a.drawnUsd ?? 0));
  const gaps = findGaps(input, exits);
  const { unread, unmeasured, unpriced, singletons, checked, found, scanTruncated } = gaps;
  const drawnAmounts = drawnOf(exits, prices);
  const total = sumOf(drawnAmounts);
  const complete = isComplete(gaps, input);
  // Further pools can only add to the measured sum. Pools that only third parties listed never make it conclusive.
  const conclusive = complete || sumOf(drawnOf(withoutHinted(exits, input), prices)) >= input.sizeUsd * drainedShare;
  // A positive sum is a lower bound. A sum of 0 with unmeasured pools is unknown.
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
    reasons: [
      ...describeGaps(gaps, input),
      ...describeReach(reach),
      ...describeOutside(gaps.outside),
      ...describeShared(exits.filter((_, index) => isShared(exits, index, prices))),
    ],
    measuredUsd: total,
    atMostUsd: complete ? atMostUsd(reading.exits, prices, reachValue) : null,
    complete,
    searched: isSearched(gaps, input),
  };
}

/** USD of each pool, 0 if a larger one counts instead of it. */
const drawnOf = (exits: readonly PricedExit[], prices: UsdPrices): number[] =>
  exits.map((entry, index) => (isShared(exits, index, prices) ? 0 : (entry.drawnUsd ?? 0)));

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

function withoutHinted(exits: readonly PricedExit[], { hinted }: LiquidityInput): readonly PricedExit[] {
  const keys = new Set(hinted?.pools.map(poolKey));
  return keys.size === 0 ? exits : exits.filter(({ exit }) => !keys.has(poolKey(exit)));
}

function reachValueOf({ reach, prices, reading, deployment }: LiquidityInput): ReachValue | undefined {
  if (reach?.status !== 'read') return undefined;
  return toReachValue(reach, { prices, bases: reading.bases, wrapped: deployment.wrappedNative });
}

/**
 * Whether a larger pool pays in the same asset without a price. Each pool's output was sold alone, in the same pools of
 * that asset, so the sum of these sales would count their reserves several times.
 */
function isShared(exits: readonly PricedExit[], index: number, prices: UsdPrices): boolean {
  const counter = exits[index]?.exit.counter ?? '';
  return (
    !prices.has(counter) && exits.slice(0, index).some(({ exit, drawnUsd: usd }) => exit.counter === counter && usd)
  );
}

function venueOf(exit: ExitPool, { candidatePools, known }: LiquidityInput): string {
  if (exit.candidatePool !== undefined) return candidatePools[exit.candidatePool]?.venue ?? 'unknown';
  return known.find(({ pool }) => pool === exit.pool)?.venue ?? 'unknown';
}

/**
 * USD that the simulated sale draws; 0 if it pays nothing or is refused; undefined if its asset has no price and no known
 * market.
 */
function drawnUsd(
  exit: ExitPool,
  index: number,
  { reading, prices, reach }: { reading: ExitReading; prices: UsdPrices; reach: ReachValue | undefined },
): number | undefined {
  if (exit.status === 'unread' || exit.status === 'not-requested') return undefined;
  if (exit.drawn === 0n) return 0;
  const price = prices.get(exit.counter);
  if (price) return Number(exit.drawn) * price.usdPerUnit;
  if (reading.bases.some(({ token }) => token === exit.counter)) return undefined;
  // An asset without a price counts as what its own simulated sale into a base asset pays.
  const worths = reading.hops.flatMap((hop) => {
    const hopPrice = prices.get(reading.bases[hop.base]?.token ?? '');
    return hop.exit === index && hop.received > 0n && hopPrice ? Number(hop.received) * hopPrice.usdPerUnit : [];
  });
  // No sale found is not proof that none exists: the search covers the listed pools of the asset only.
  const found = reach ? [...worths, reach.least(exit.counter, Number(exit.drawn))] : worths;
  return found.length > 0 ? Math.max(...found) : undefined;
}

const counted = { source: measured, whyNull: () => unread('no factory could be read') };

const whyNoShare: WhyNull = (_facts, { risk_profile }) => {
  const { poolCount, exitLiquidityUsd } = risk_profile.liquidity;
  if (poolCount === 0) return none('there is no pool');
  return exitLiquidityUsd === null
    ? unread('the pools pay in assets without a known USD price')
    : none('no pool pays anything');
};

export const liquidityAxis: Axis<'liquidity'> = {
  signal: derived('risk_profile.liquidity.exitLiquidityUsd and sizeUSD'),
  whyNoValue: (_facts, { flags }) => unread(flags['F-LIQ'].reason),
  fields: {
    poolCount: counted,
    venueCount: counted,
    largestPoolSharePct: { source: derived('risk_profile.liquidity.exitLiquidityUsd'), whyNull: whyNoShare },
    exitLiquidityUsd: {
      source: measured,
      whyNull: () => unread('not every venue could be measured, or its assets have no known USD price'),
    },
  },
};

/** Larger ratios are reported as "more than 1,000 times"; the exact number does not matter for a trade. */
const largestRatio = 1_000;

/** F-LIQ: the ratio of exit liquidity to the size. High if simulated trades are refused, whatever the pools hold. */
export function liquiditySignal(
  { section, complete, exits }: LiquidityFinding,
  sizeUsd: number,
  refused: 'sales' | 'purchases' | null,
): Signal {
  const base = { unit: 'usd', cachedAgeSec: null } as const;
  const { exitLiquidityUsd } = section;
  const enough = exitLiquidityUsd !== null && exitLiquidityUsd >= sizeUsd;
  if (exitLiquidityUsd === null || (!complete && !enough)) {
    const reason = exits.some(({ exit, drawnUsd }) => drawnUsd === undefined && exit.drawn > 0n)
      ? 'Some pools pay in assets without a known USD price. The others pay less than the size.'
      : 'Not every venue could be measured. The measured venues pay less than the size.';
    return { ...base, severity: 'unknown', value: null, reason };
  }
  const ratio = exitLiquidityUsd / sizeUsd;
  const reason = `Exit liquidity is ${describeRatio(ratio)} the size${complete ? '' : ' (lower bound)'}.`;
  if (refused) {
    const result = refused === 'sales' ? 'an ordinary wallet cannot draw it' : 'no sale could be tested';
    const blocked = `${reason} Simulated ${refused} are refused, so ${result}.`;
    return { ...base, severity: 'high', value: exitLiquidityUsd, reason: blocked };
  }
  const severity = ratio < 1 ? 'high' : ratio < 5 ? 'medium' : ratio < 20 ? 'low' : 'none';
  return { ...base, severity, value: exitLiquidityUsd, reason };
}

function describeRatio(ratio: number): string {
  if (ratio > largestRatio) return 'more than 1,000 times';
  return ratio < 0.01 && ratio > 0 ? 'less than 0.01 times' : `${ratio.toFixed(2)} times`;
}
