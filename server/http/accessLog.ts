import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { localsOf } from './locals.ts';
import { hasAll, sentStatus } from './sentStatus.ts';

const longestPath = 200;

/** Logs one line a request, when its connection or answer has ended. Headers, bodies and queries stay out of it. */
export function accessLog(logger: Logger): RequestHandler {
  return (req, res, next) => {
    if (logger.isLevelEnabled('info')) {
      const startedAt = performance.now();
      const { method, originalUrl } = req;
      res.once('close', () => {
        const [path = ''] = originalUrl.split('?');
        logger.info(
          {
            requestId: localsOf(res).requestId,
            method,
            path: path.slice(0, longestPath),
            status: sentStatus(res),
            ms: Math.round(performance.now() - startedAt),
            ...(!hasAll(res) && { clientLeft: true }),
          },
          'request',
        );
      });
    }
    next();
  };
}
