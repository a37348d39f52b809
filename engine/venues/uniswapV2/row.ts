import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

/** Constant product, `getPair`, one fee for all pairs. */
export interface UniswapV2Row {
  family: 'uniswap-v2';
  venue: string;
  factory: LowerAddress;
  feePips: number;
}

export function toUniswapV2Slots({ family, venue, factory, feePips }: UniswapV2Row): Slot[] {
  return [{ family, venue, kind: kinds.v2, factory, fee: feePips, tickSpacing: 0, hooks: noHooks }];
}
