import type { Slot } from '../venues/venueTypes.ts';
import { bestSplit } from './bestSplit.ts';
import type { LensReading } from './lensReading.ts';
import type { Flag } from './quoteTypes.ts';
import { poolsOf, toRoute } from './route.ts';

const worthTellingBps = 5n;

/** Whether dividing the order over the best ways would pay more than the route, or whether that is not known. */
export function splitFlags(reading: LensReading, slots: readonly Slot[]): Flag[] {
  const better = betterSplit(reading, slots);
  return reading.splitOpen ? [...better, unread] : better;
}

const unread: Flag = {
  code: 'SPLIT_UNREAD',
  severity: 'info',
  message: 'Whether a split would pay more was not measured in full: fills of this pair take too much gas.',
};

/** Quarters of the size over the best ways, each measured by execution. */
function betterSplit(reading: LensReading, slots: readonly Slot[]): Flag[] {
  const ways = reading.candidates.slice(0, reading.quarters.length);
  const [winner] = ways;
  if (!winner) return [];
  const split = bestSplit(ways.map((way, index) => [...(reading.quarters[index] ?? []), way.received]));
  const betterByBps = ((split.received - winner.received) * 10_000n) / winner.received;
  if (betterByBps < worthTellingBps) return [];
  const shares = ways.flatMap((way, index) => {
    const quarters = split.quarters[index] ?? 0;
    if (quarters === 0) return [];
    return [{ share: quarters / 4, legs: toRoute(reading, poolsOf(reading, way), slots).legs }];
  });
  const facts = { betterByBps: Number(betterByBps), amountOut: split.received.toString(), shares };
  const message = `Divided over ${shares.length} ways this order would pay ${betterByBps} bps more.`;
  return [{ code: 'SPLIT_BETTER', severity: 'info', message, facts }];
}
