import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { localsOf } from './locals.ts';
import { hasAll, sentStatus } from './sentStatus.ts';

const longestPath = 200;

/** Anyone can send unpaid requests for free, so only one in this number is logged. */
const unpaidPerLine = 100;

/** Logs one line for each request when its response or connection ends, without headers, bodies and queries. */
export function accessLog(logger: Logger): RequestHandler {
  let unpaid = 0;
  return (req, res, next) => {
    if (logger.isLevelEnabled('info')) {
      const startedAt = performance.now();
      const { method, originalUrl } = req;
      const hasPaid = req.headers['payment-signature'] !== undefined;
      res.once('close', () => {
        const isUnpaid = res.statusCode === 402 && !hasPaid;
        if (isUnpaid && ++unpaid % unpaidPerLine !== 0) return;
        const [path = ''] = originalUrl.split('?');
        logger.info(
          {
            requestId: localsOf(res).requestId,
            method,
            path: path.slice(0, longestPath),
            status: sentStatus(res),
            ms: Math.round(performance.now() - startedAt),
            ...(isUnpaid && { oneOf: unpaidPerLine }),
            ...(!hasAll(res) && { clientLeft: true }),
          },
          'request',
        );
      });
    }
    next();
  };
}
