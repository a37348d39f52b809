import type { Address } from 'viem';
import type { Slot } from '../venues/venueTypes.ts';
import { type LensReading, unitsOfSplit } from './lensReading.ts';
import type { Flag } from './quoteTypes.ts';
import { poolsOf, toSwap } from './route.ts';

const worthTellingBps = 5n;

/** Whether dividing the order over several ways would pay more than the route, or whether that is not known. */
export function splitFlags(reading: LensReading, slots: readonly Slot[], wrappedNative: Address): Flag[] {
  const better = betterSplit(reading, slots, wrappedNative);
  return reading.splitOpen ? [...better, unread] : better;
}

const unread: Flag = {
  code: 'SPLIT_UNREAD',
  severity: 'info',
  message: 'Whether a split would pay more was not measured in full: fills of this pair take too much gas.',
};

/** Shares of the size over ways that share no pool, each measured by execution. */
function betterSplit(reading: LensReading, slots: readonly Slot[], wrappedNative: Address): Flag[] {
  const [winner] = reading.candidates;
  if (!winner || reading.shares.length === 0) return [];
  const amountOut = reading.shares.reduce((sum, { received }) => sum + received, 0n);
  const betterByBps = ((amountOut - winner.received) * 10_000n) / winner.received;
  if (betterByBps < worthTellingBps) return [];
  const shares = reading.shares.map((way) => ({
    share: way.units / unitsOfSplit,
    amountIn: ((reading.amountIn * BigInt(way.units)) / BigInt(unitsOfSplit)).toString(),
    amountOut: way.received.toString(),
    legs: poolsOf(reading, way).map((pool) => toSwap(reading, pool, slots, wrappedNative)),
  }));
  const facts = { betterByBps: Number(betterByBps), amountOut: amountOut.toString(), shares };
  const message = `Divided over ${shares.length} ways this order would pay ${betterByBps} bps more; each part was measured by itself.`;
  return [{ code: 'SPLIT_BETTER', severity: 'info', message, facts }];
}
