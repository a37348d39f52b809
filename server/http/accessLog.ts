import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { localsOf } from './locals.ts';
import { isFullySent, sentStatus } from './sentStatus.ts';

const maxPathLength = 200;

/** Anyone can send unpaid requests for free, so one of this many is logged. */
const unpaidPerLine = 100;

/** Logs one line for each request when its response or connection ends, without headers, bodies and queries. */
export function accessLog(logger: Logger): RequestHandler {
  let unpaid = 0;
  return (req, res, next) => {
    if (logger.isLevelEnabled('info')) {
      const startedAt = performance.now();
      const { method, originalUrl } = req;
      const hasSignature = req.headers['payment-signature'] !== undefined;
      res.once('close', () => {
        const isUnpaid = res.statusCode === 402 && !hasSignature;
        if (isUnpaid && ++unpaid % unpaidPerLine !== 0) return;
        const [path = ''] = originalUrl.split('?');
        logger.info(
          {
            requestId: localsOf(res).requestId,
            method,
            path: path.slice(0, maxPathLength),
            status: sentStatus(res),
            ms: Math.round(performance.now() - startedAt),
            ...(isUnpaid && { oneOf: unpaidPerLine }),
            ...(!isFullySent(res) && { clientLeft: true }),
          },
          'request',
        );
      });
    }
    next();
  };
}
