import type { RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';

/** Who comes while this process closes; the next request shall find its way anew. */
export const refusedByDraining = (): RequestError =>
  new RequestError(
    'UPSTREAM_UNAVAILABLE',
    'This server is closing. Nothing was charged: send the same request again, with the same PAYMENT-SIGNATURE if you have signed.',
    { retryAfterSeconds: 1 },
  );
export const closingHeader = ['Connection', 'close'] as const;

/**
 * While this process finishes what it has begun, it begins nothing: whoever asks is sent to another replica, or to
 * the next start, with nothing charged.
 * @throws {RequestError} UPSTREAM_UNAVAILABLE
 */
export function refuseWhenDraining(work: WorkInProgress): RequestHandler {
  return (_req, res, next) => {
    if (!work.isDraining) return next();
    res.setHeader(...closingHeader);
    throw refusedByDraining();
  };
}
