import type { RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';

/**
 * While this process finishes what it has begun, it begins nothing: whoever asks is sent to another replica, or to
 * the next start, with nothing charged.
 * @throws {RequestError} UPSTREAM_UNAVAILABLE
 */
export function refuseWhenDraining(work: WorkInProgress): RequestHandler {
  return (_req, res, next) => {
    if (!work.isDraining) return next();
    // The next request shall find its way anew.
    res.setHeader('Connection', 'close');
    const detail =
      'This server is closing. Nothing was charged: send the same request again, with the same PAYMENT-SIGNATURE if you have signed.';
    throw new RequestError('UPSTREAM_UNAVAILABLE', detail, { retryAfterSeconds: 1 });
  };
}
