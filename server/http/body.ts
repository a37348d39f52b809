import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';

const tooLarge = (maxBodyBytes: number, cause?: Error): RequestError =>
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
const rejectAnnounced =
  (maxBodyBytes: number): RequestHandler =>
  ({ headers }, res, next) => {
    if (headers.expect?.toLowerCase() !== '100-continue' || Number(headers['content-length']) <= maxBodyBytes)
      return next();
    res.setHeader('Connection', 'close');
    throw tooLarge(maxBodyBytes);
  };

/** Reads the raw bytes: whether an empty body is valid depends on the payment header. */
const readBytes = (limit: number): RequestHandler => express.raw({ type: () => true, limit, inflate: false });

/** Converts the errors of `readBody` to request errors. */
export const toBodyError: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    next(tooLarge((error as Error & { limit: number }).limit, error as Error));
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

/** The middlewares that read a body of at most so many bytes, in order. */
export const readBody = (maxBytes: number): RequestHandler[] => [rejectAnnounced(maxBytes), readBytes(maxBytes)];

/** The bytes that `readBytes` read; empty without a body. */
export function bytesOf(req: Request): Buffer {
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}
