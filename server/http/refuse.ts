import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { describeFailure } from '../../router/index.ts';
import { localsOf } from './locals.ts';
import { sendRefusal } from './sendRefusal.ts';

/** The end of the chain: every refusal leaves through here. What has no name is logged with its cause. */
export function refuse({ logger, docsUrl }: { logger: Logger; docsUrl: string }): ErrorRequestHandler {
  return (thrown: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(thrown);
      return;
    }
    const error = describeFailure(thrown);
    if (error.code === 'INTERNAL') logger.error({ requestId: localsOf(res).requestId, err: thrown }, 'request failed');
    sendRefusal(res, error, { docsUrl });
  };
}
