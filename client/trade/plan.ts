import type { Address, Hex } from 'viem';
import type { Quote } from '../wire.ts';

/** A leg of a quote with typed addresses and bigint amounts. */
export interface Leg {
  dex: Quote['route']['legs'][number]['dex'];
  venue: string;
  pool: Hex;
  tokenIn: Address;
  tokenOut: Address;
  feePips: number;
  amountIn: bigint;
  amountOut: bigint;
  shareBps: number;
  poolKey?: PoolKey;
}

export interface PoolKey {
  currency0: Address;
  currency1: Address;
  fee: number;
  tickSpacing: number;
  hooks: Address;
}

export interface Plan {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  legs: Leg[];
}

export function toPlan({ tokenIn, tokenOut, amountIn, route }: Quote): Plan {
  return {
    tokenIn: tokenIn as Address,
    tokenOut: tokenOut as Address,
    amountIn: BigInt(amountIn),
    legs: route.legs.map(({ dex, venue, pool, feePips, shareBps, poolKey, ...leg }) => ({
      dex,
      venue,
      pool: pool as Hex,
      tokenIn: leg.tokenIn as Address,
      tokenOut: leg.tokenOut as Address,
      feePips,
      shareBps,
      amountIn: BigInt(leg.amountIn),
      amountOut: BigInt(leg.amountOut),
      ...(poolKey && { poolKey: poolKey as PoolKey }),
    })),
  };
}

/**
 * Splits a plan into routes from tokenIn to tokenOut that share no leg. Undefined if more than one leg buys or sells an
 * intermediate token.
 */
export function toRoutes({ legs, tokenIn, tokenOut }: Plan): Leg[][] | undefined {
  const routes: Leg[][] = [];
  for (const first of legs.filter((leg) => leg.tokenIn === tokenIn)) {
    const route = [first];
    for (let leg = first; leg.tokenOut !== tokenOut; ) {
      const intermediate = leg.tokenOut;
      const buys = legs.filter((each) => each.tokenOut === intermediate);
      const [next, ...others] = legs.filter((each) => each.tokenIn === intermediate);
      if (!next || others.length > 0 || buys.length > 1) return undefined;
      route.push(next);
      leg = next;
    }
    routes.push(route);
  }
  return routes;
}

/** The amount less `slippageBps` basis points, rounded up. */
export const afterSlippage = (amount: bigint, slippageBps: number) =>
  (amount * BigInt(10_000 - slippageBps) + 9_999n) / 10_000n;

export const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
