import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { localsOf } from './locals.ts';
import { hasAll, sentStatus } from './sentStatus.ts';

const longestPath = 200;

/** Logs one line for each request when its response or connection ends, without headers, bodies and queries. */
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
