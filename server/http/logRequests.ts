import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { localsOf } from './locals.ts';

const longestPath = 200;

/** One line a request. Headers, bodies and queries stay out of it. */
export function logRequests(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const [path = ''] = req.originalUrl.split('?');
      logger.info(
        {
          requestId: localsOf(res).requestId,
          method: req.method,
          path: path.slice(0, longestPath),
          status: res.statusCode,
          ms: Math.round(performance.now() - startedAt),
          ...(!res.writableFinished && { clientLeft: true }),
        },
        'request',
      );
    });
    next();
  };
}
