import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import { maxBodyBytes } from './readBody.ts';

const tooLarge = (cause?: Error): RequestError =>
  new RequestError(
    'PAYLOAD_TOO_LARGE',
    `The body exceeds ${maxBodyBytes} bytes. Nothing was charged. Send a smaller one.`,
    {
      cause,
    },
  );

/**
 * Rejects a body whose content-length is too large while the client awaits `100 Continue`: `readBytes` would wait for it.
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

/** Converts the body reader's errors to request errors. */
const toRequestError: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    next(tooLarge(error as Error));
  } else if (type === 'encoding.unsupported') {
    next(
      new RequestError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The body has a content-encoding. Nothing was charged. Send it without one.',
        { cause: error },
      ),
    );
  } else if (type === 'request.aborted' || type === 'request.size.invalid') {
    next(
      new RequestError(
        'INVALID_REQUEST',
        'The body ended before its announced length. Nothing was charged. Send all of it.',
        { cause: error },
      ),
    );
  } else {
    next(error);
  }
};

/** The middlewares that read a body, in order. */
export const body = { rejectAnnounced, readBytes, toRequestError };

/** The bytes that `readBytes` read; empty without a body. */
export function bytesOf(req: Request): Buffer {
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}
