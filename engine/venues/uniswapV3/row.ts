import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

/** Concentrated liquidity; pools keyed by fee (`getPool(a,b,uint24)`) or by tick spacing (Slipstream). */
export type UniswapV3Row = { family: 'uniswap-v3'; venue: string; factory: LowerAddress } & (
  | { fees: readonly number[] }
  | { tickSpacings: readonly number[] }
);

export function toUniswapV3Slots(row: UniswapV3Row): Slot[] {
  const { family, venue, factory } = row;
  if ('fees' in row) {
    return row.fees.map((fee) => ({ family, venue, kind: kinds.v3, factory, fee, tickSpacing: 0, hooks: noHooks }));
  }
  return row.tickSpacings.map((tickSpacing) => ({
    family,
    venue,
    kind: kinds.slipstream,
    factory,
    fee: 0,
    tickSpacing,
    hooks: noHooks,
  }));
}
