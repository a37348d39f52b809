import { type OpaqueState, toOpaqueRange } from '../opaque.ts';
import type { PoolEntry } from '../poolEntry.ts';
import type { ConcentratedState } from './concentrated.ts';
import { concentratedModel } from './concentratedModel.ts';
import { maxSqrtPrice, maxTick, minSqrtPrice } from './tickMaths.ts';

/** The state of a concentrated pool; undefined for values that no pool can have. */
export function toConcentrated(rule: ConcentratedState['rule'], entry: PoolEntry): ConcentratedState | undefined {
  const { first: sqrtPriceX96, second: liquidity, feePips, tick, tickSpacing, ticks, knownFrom, knownTo } = entry;
  const isInRange = sqrtPriceX96 >= minSqrtPrice && sqrtPriceX96 <= maxSqrtPrice && Math.abs(tick) <= maxTick;
  if (!isInRange || liquidity >> 128n !== 0n || tickSpacing === 0) return undefined;
  const price = { sqrtPriceX96, tick, liquidity, tickSpacing, feePips };
  return { kind: 'concentrated', rule, ...price, ticks, knownFrom, knownTo };
}

/**
 * The state of a pool that holds its own tokens. If it reports more liquidity than its balances (third and fourth, plus one;
 * 0 = unread) allow, it is opaque: its price is not trusted.
 */
export const toBacked =
  (rule: ConcentratedState['rule']) =>
  (entry: PoolEntry): ConcentratedState | OpaqueState | undefined => {
    const state = toConcentrated(rule, entry);
    if (!state) return undefined;
    const isWithin = (balancePlusOne: bigint, zeroForOne: boolean) =>
      concentratedModel.depth(state, zeroForOne) < balancePlusOne;
    return isWithin(entry.third, false) && isWithin(entry.fourth, true) ? state : opaque(entry);
  };

const opaque = toOpaqueRange('unknown-curve');
