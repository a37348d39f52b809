import type { LowerAddress } from '../../lowerAddress.ts';

/** A sale of an exact amount, in base units. */
export interface Order {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  amountIn: bigint;
}

/** A token sold and a token bought. */
export type TokenPair = Pick<Order, 'tokenIn' | 'tokenOut'>;
