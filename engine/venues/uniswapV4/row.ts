import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

/** What a v4 pool key has beside its two currencies. `fee` 0x800000 = dynamic. */
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

/** Each shape is asked twice: v4 pools hold the wrapped token or the native currency itself. */
export function toUniswapV4Slots({ family, venue, manager, shapes }: UniswapV4Row): Slot[] {
  return shapes.flatMap(({ fee, tickSpacing, hooks = noHooks }) =>
    [kinds.v4, kinds.v4Native].map((kind) => ({ family, venue, kind, factory: manager, fee, tickSpacing, hooks })),
  );
}
