import type { Route } from '../quoteTypes.ts';

/** The best single route, as `SPLIT_ROUTE` reports it. */
export interface SinglePath {
  amountOut: bigint;
  route: Route;
}

/** States the gain of the split and the best single route with its output. */
export function splitRouteFlag(gainBps: number, { amountOut, route }: SinglePath) {
  const legs = route.legs.map((leg) => ({
    ...leg,
    amountIn: leg.amountIn.toString(),
    amountOut: leg.amountOut.toString(),
  }));
  return {
    code: 'SPLIT_ROUTE',
    severity: 'info',
    message: `The split route returns ${(gainBps / 100).toFixed(2)} % more than the best single route.`,
    facts: { gainBps, single: { amountOut: amountOut.toString(), ...route, legs } },
  } as const;
}
