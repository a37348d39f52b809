import type { LowerAddress } from '../../lowerAddress.ts';

/** A v4 pool key without its currencies. `fee` 0x800000 = dynamic. */
export interface V4PoolShape {
  fee: number;
  tickSpacing: number;
  hooks?: LowerAddress;
}

export interface UniswapV4Row {
  family: 'uniswap-v4';
  venue: string;
  manager: LowerAddress;
  /** Returns the key of each pool that has had a position of it (`poolKeys`). */
  positionManager?: LowerAddress;
  shapes: readonly V4PoolShape[];
}
