import type { RequestHandler, Response } from 'express';
import type { PaidRoute, Route } from './routes.ts';

/** Per-request state that middlewares share. */
export interface Locals {
  requestId: string;
  /** Set by `routeMatch`. */
  route?: Route;
  /** Set by `rateLimit`: counts the request for a wallet in place of its address. */
  countForWallet?: (wallet: string) => void;
}

export function localsOf(res: Response): Locals {
  return res.locals as Locals;
}

/** The route of a request that `routeMatch` found to be paid. */
export function paidRouteOf(res: Response): PaidRoute {
  const { route } = localsOf(res);
  if (route?.kind !== 'paid') throw new TypeError('A request without a paid route reached the paid pipeline.');
  return route;
}

/** Runs a middleware for routes of some kinds only. Express patterns are not used: `routeMatch` compares the raw target. */
export function onRoutes(kinds: readonly Route['kind'][], handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    const { route } = localsOf(res);
    return route && kinds.includes(route.kind) ? handler(req, res, next) : next();
  };
}
