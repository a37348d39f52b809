import type { RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';

/**
 * Rejects new calls while this process shuts down, so that the client's next request reaches another replica.
 * @throws {RequestError} UPSTREAM_UNAVAILABLE
 */
export function rejectWhenDraining(work: WorkInProgress): RequestHandler {
  return (_req, res, next) => {
    if (!work.isDraining) return next();
    res.setHeader('Connection', 'close');
    throw new RequestError(
      'UPSTREAM_UNAVAILABLE',
      'This server is shutting down. This request charged nothing: send the same request again, with the same PAYMENT-SIGNATURE if you have signed.',
      { retryAfterSeconds: 1 },
    );
  };
}
