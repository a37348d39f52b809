import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import { maxBodyBytes } from './readBody.ts';
import { closingHeader } from './refuseWhenDraining.ts';

const tooLarge = (cause?: Error): RequestError =>
  new RequestError('PAYLOAD_TOO_LARGE', `The body is over ${maxBodyBytes} bytes. A valid one is far smaller.`, {
    cause,
  });

/**
 * Who asks before he sends (`Expect: 100-continue`) hears at once that it is too much; the reader below would wait for
 * all of it.
 * @throws {RequestError} PAYLOAD_TOO_LARGE
 */
export const refuseUnsent: RequestHandler = ({ headers }, res, next) => {
  if (headers.expect?.toLowerCase() !== '100-continue' || Number(headers['content-length']) <= maxBodyBytes)
    return next();
  res.setHeader(...closingHeader);
  throw tooLarge();
};

/** Takes the bytes as they are: what they mean is decided when it is known whether a payment came along. */
export const receiveBody = express.raw({ type: () => true, limit: maxBodyBytes, inflate: false });

/** Names what the body reader refuses. */
export const nameBodyFault: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    next(tooLarge(error as Error));
  } else if (type === 'encoding.unsupported') {
    next(new RequestError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a content-encoding.', { cause: error }));
  } else if (type === 'request.aborted' || type === 'request.size.invalid') {
    next(new RequestError('INVALID_REQUEST', 'The body broke off before its end.', { cause: error }));
  } else {
    next(error);
  }
};

/** The bytes `receiveBody` took; empty when there were none. */
export function bytesOf(req: Request): Buffer {
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}
