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

/** Quarters of the size over ways that share no pool, each measured by execution. */
function betterSplit(reading: LensReading, slots: readonly Slot[]): Flag[] {
  const [winner] = reading.candidates;
  if (!winner || reading.parts.length === 0) return [];
  // The first way is the winner; none of the others pays more for the whole.
  const split = bestSplit(reading.parts.map(({ paid }, index) => [...paid, index === 0 ? winner.received : 0n]));
  const betterByBps = ((split.received - winner.received) * 10_000n) / winner.received;
  if (betterByBps < worthTellingBps) return [];
  const shares = reading.parts.flatMap((way, index) => {
    const quarters = split.quarters[index] ?? 0;
    if (quarters === 0) return [];
    return [{ share: quarters / 4, legs: toRoute(reading, poolsOf(reading, way), slots).legs }];
  });
  const facts = { betterByBps: Number(betterByBps), amountOut: split.received.toString(), shares };
  const message = `Divided over ${shares.length} ways this order would pay ${betterByBps} bps more; each part was measured by itself.`;
  return [{ code: 'SPLIT_BETTER', severity: 'info', message, facts }];
}
