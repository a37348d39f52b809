import type { Address, Hex } from 'viem';
import type { ExecutableLeg } from '../sandboxTypes.ts';

/** A leg in the JSON of a quote. */
interface JsonLeg {
  venue: string;
  pool: string;
  tokenIn: string;
  tokenOut: string;
  amountIn: string;
}

/** Converts the legs of a quote's JSON, with the amount that each sells. */
export const toExecutableLegs = (legs: readonly JsonLeg[]): ExecutableLeg[] =>
  legs.map(({ venue, pool, tokenIn, tokenOut, amountIn }) => ({
    venue,
    pool: pool as Hex,
    tokenIn: tokenIn as Address,
    tokenOut: tokenOut as Address,
    amountIn: BigInt(amountIn),
  }));
