import type { LowerAddress } from '../../lowerAddress.ts';

/** Constant product, `getPair`, one fee for all pairs. */
export interface UniswapV2Row {
  family: 'uniswap-v2';
  venue: string;
  factory: LowerAddress;
  feePips: number;
}
