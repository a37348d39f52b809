import { derived, measured, none, unread, type WhyNull } from '../attribution.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';
import { drainedShare } from '../verdict.ts';
import type { Axis } from './axis.ts';
import { describeGaps, findGaps, isComplete, isHooked } from './liquidityGaps.ts';
import type { LiquidityFinding, LiquidityInput, PricedExit } from './liquidityTypes.ts';
import { describeShared, noteOf } from './liquidityWords.ts';
import { midUsdOf } from './midUsd.ts';
import type { UsdPrices } from './usdPrices.ts';

/** The liquidity axis: spec, `liquidityCoverage` and `risk_profile.liquidity`. Pure. */
export function weighLiquidity(input: LiquidityInput): LiquidityFinding {
  const { reading, prices } = input;
  const exits = reading.exits
    .map((exit, index) => ({ exit, venue: venueOf(exit, input), drawnUsd: drawnUsd(exit, index, reading, prices) }))
    .sort((a, b) => (b.drawnUsd ?? 0) - (a.drawnUsd ?? 0));
  const gaps = findGaps(input, exits);
  const { unread, unmeasured, unpriced, singletons, checked, found, scanTruncated } = gaps;
  const drawnAmounts = exits.map((entry, index) => (isShared(exits, index, prices) ? 0 : (entry.drawnUsd ?? 0)));
  const total = drawnAmounts.reduce((sum, drawn) => sum + drawn, 0);
  const complete = isComplete(gaps, input);
  // Further pools can only add to the measured sum.
  const conclusive = complete || total >= input.sizeUsd * drainedShare;
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
      ...describeShared(exits.filter((_, index) => isShared(exits, index, prices))),
    ],
    measuredUsd: total,
    atMostUsd: complete && !hasUnpricedHop(reading, prices) ? atMostUsd(exits, prices) : null,
    complete,
  };
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

/** Whether a counter-asset also sells into a base asset without a price, which may pay more than the priced ones. */
const hasUnpricedHop = ({ hops, bases, exits }: ExitReading, prices: UsdPrices): boolean =>
  hops.some(({ exit, base, received }) => {
    const needsHop = exits[exit] && !prices.has(exits[exit].counter);
    return needsHop && received > 0n && !prices.has(bases[base]?.token ?? '');
  });

/** Upper bound in USD of what sales of any size can draw; null if a pool has no bound. */
function atMostUsd(exits: readonly PricedExit[], prices: UsdPrices): number | null {
  let sum = 0;
  for (const { exit, drawnUsd: drawn } of exits) {
    const { most } = exit;
    if (most === undefined || drawn === undefined) return null;
    const price = prices.get(exit.counter);
    if (price) sum += Number(most) * price.usdPerUnit;
    // The second sale, into a priced asset, pays at most in proportion to its input.
    else if (exit.drawn > 0n) sum += (drawn * Number(most)) / Number(exit.drawn);
    else if (most > 0n) return null;
  }
  return sum;
}

function venueOf(exit: ExitPool, { candidatePools, known }: LiquidityInput): string {
  if (exit.candidatePool !== undefined) return candidatePools[exit.candidatePool]?.venue ?? 'unknown';
  return known.find(({ pool }) => pool === exit.pool)?.venue ?? 'unknown';
}

/** USD that the simulated sale draws; 0 if it pays nothing or is refused; undefined if its asset has no price. */
function drawnUsd(exit: ExitPool, index: number, reading: ExitReading, prices: UsdPrices): number | undefined {
  if (exit.status === 'unread' || exit.status === 'not-requested') return undefined;
  if (exit.drawn === 0n) return 0;
  const price = prices.get(exit.counter);
  if (price) return Number(exit.drawn) * price.usdPerUnit;
  if (reading.bases.some(({ token }) => token === exit.counter)) return undefined;
  // An asset without a price counts as what its own simulated sale into a base asset pays.
  const hops = reading.hops.filter((hop) => hop.exit === index);
  if (hops.length === 0) return undefined;
  const worths = hops.map(({ base, received }) => {
    if (received === 0n) return 0;
    const hopPrice = prices.get(reading.bases[base]?.token ?? '');
    return hopPrice ? Number(received) * hopPrice.usdPerUnit : undefined;
  });
  const known = worths.filter((worth) => worth !== undefined);
  return known.length === worths.length || known.some((worth) => worth > 0) ? Math.max(0, ...known) : undefined;
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
      source: derived('sales simulated at liquidityCoverage.asOfBlock'),
      whyNull: () => unread('not every venue could be measured, or its assets have no known USD price'),
    },
  },
};
