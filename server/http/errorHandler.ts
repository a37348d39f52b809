import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { describeFailure } from '../../router/index.ts';
import { sendError } from './errorResponse.ts';
import { localsOf } from './locals.ts';

/** The last middleware: sends the error that an earlier one threw. Logs unexpected errors with their cause. */
export function errorHandler({ logger, baseUrl }: { logger: Logger; baseUrl: string }): ErrorRequestHandler {
  return (thrown: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(thrown);
      return;
    }
    const error = describeFailure(thrown);
    if (error.code === 'INTERNAL') logger.error({ requestId: localsOf(res).requestId, err: thrown }, 'request failed');
    sendError(res, error, baseUrl);
  };
}
