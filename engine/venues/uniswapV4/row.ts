import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

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
  shapes: readonly V4PoolShape[];
}

/** Two slots for each shape: v4 pools trade the wrapped token or the native currency itself. */
export function toUniswapV4Slots({ family, venue, manager, shapes }: UniswapV4Row): Slot[] {
  return shapes.flatMap(({ fee, tickSpacing, hooks = noHooks }) =>
    [kinds.v4, kinds.v4Native].map((kind) => ({ family, venue, kind, factory: manager, fee, tickSpacing, hooks })),
  );
}
