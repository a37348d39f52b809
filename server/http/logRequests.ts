import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { localsOf } from './locals.ts';
import { hasAll, sentStatus } from './sentStatus.ts';

const longestPath = 200;

/** One line a request, when it is over. Headers, bodies and queries stay out of it. */
export function logWhenClosed(
  logger: Logger,
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  res: ServerResponse,
  nameOf: () => string,
): void {
  if (!logger.isLevelEnabled('info')) return;
  const startedAt = performance.now();
  res.once('close', () => {
    const [path = ''] = url.split('?');
    logger.info(
      {
        requestId: nameOf(),
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

export function logRequests(logger: Logger): RequestHandler {
  return (req, res, next) => {
    logWhenClosed(logger, { method: req.method, url: req.originalUrl }, res, () => localsOf(res).requestId);
    next();
  };
}
