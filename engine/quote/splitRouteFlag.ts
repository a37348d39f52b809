import type { Route } from './quoteTypes.ts';

/** The best single path, as `SPLIT_ROUTE` reports it. */
export interface SinglePath {
  amountOut: bigint;
  route: Route;
}

/** Says that the answer divides the order, by how much that pays more, and what the best single path would pay. */
export function splitRouteFlag(gainBps: number, { amountOut, route }: SinglePath) {
  const legs = route.legs.map((leg) => ({
    ...leg,
    amountIn: leg.amountIn.toString(),
    amountOut: leg.amountOut.toString(),
  }));
  return {
    code: 'SPLIT_ROUTE',
    severity: 'info',
    message: `Dividing the order pays ${gainBps} bps more than the best single path.`,
    facts: { gainBps, single: { amountOut: amountOut.toString(), ...route, legs } },
  } as const;
}
