import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import { maxBodyBytes } from './readBody.ts';

const tooLarge = (cause?: Error): RequestError =>
  new RequestError('PAYLOAD_TOO_LARGE', `The body is over ${maxBodyBytes} bytes. A valid one is far smaller.`, {
    cause,
  });

/**
 * Refuses a body that is announced as too large by `Expect: 100-continue`; the reader below would wait for all of it.
 * @throws {RequestError} PAYLOAD_TOO_LARGE
 */
const rejectAnnounced: RequestHandler = ({ headers }, res, next) => {
  if (headers.expect?.toLowerCase() !== '100-continue' || Number(headers['content-length']) <= maxBodyBytes)
    return next();
  res.setHeader('Connection', 'close');
  throw tooLarge();
};

/** Reads the raw bytes: whether an empty body is valid depends on the payment header. */
const readBytes = express.raw({ type: () => true, limit: maxBodyBytes, inflate: false });

/** Converts what the body reader rejects. */
const toRequestError: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    next(tooLarge(error as Error));
  } else if (type === 'encoding.unsupported') {
    next(new RequestError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a content-encoding.', { cause: error }));
  } else if (type === 'request.aborted' || type === 'request.size.invalid') {
    next(new RequestError('INVALID_REQUEST', 'The body ended before its announced length.', { cause: error }));
  } else {
    next(error);
  }
};

/** The steps that read a body, in order. */
export const body = { rejectAnnounced, readBytes, toRequestError };

/** The bytes that `readBytes` took; empty when there were none. */
export function bytesOf(req: Request): Buffer {
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}
