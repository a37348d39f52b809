import type { LowerAddress } from '../../lowerAddress.ts';

/** Concentrated liquidity; pools keyed by fee (`getPool(a,b,uint24)`) or by tick spacing (Slipstream). */
export type UniswapV3Row = { family: 'uniswap-v3'; venue: string; factory: LowerAddress } & (
  | { fees: readonly number[] }
  | { tickSpacings: readonly number[] }
);
