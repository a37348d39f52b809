import express, { type ErrorRequestHandler, type Request } from 'express';
import { RequestError } from '../../router/index.ts';

export const maxBodyBytes = 16 * 1024;

/** Takes the bytes as they are: what they mean is decided when it is known whether a payment came along. */
export const receiveBody = express.raw({ type: () => true, limit: maxBodyBytes, inflate: false });

/** Names what the body reader refuses. */
export const nameBodyFault: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    next(
      new RequestError('PAYLOAD_TOO_LARGE', `The body is over ${maxBodyBytes} bytes. A valid one is far smaller.`, {
        cause: error,
      }),
    );
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

/** Crawlers probe with nothing or `{}` and index only what answers 402. */
export function isProbe(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').trim();
  return text === '' || /^\{\s*\}$/.test(text);
}

/**
 * The JSON in a body.
 * @throws {RequestError} UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST
 */
export function parseJson(contentType: string | undefined, bytes: Buffer): unknown {
  if (bytes.length === 0)
    throw new RequestError('INVALID_REQUEST', 'The body is empty. Send a JSON object like exampleRequest.');
  assertJsonType(contentType);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    // TypeError: not UTF-8; SyntaxError: not JSON. Nothing else can be thrown here.
    throw new RequestError(
      'INVALID_REQUEST',
      'The body is not valid JSON in UTF-8. Send a JSON object like exampleRequest.',
      { cause },
    );
  }
}

function assertJsonType(contentType: string | undefined): void {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter),
  );
  if (type !== 'application/json' || !isUtf8) {
    const seen = contentType === undefined ? 'no content-type' : `content-type ${contentType.slice(0, 80)}`;
    throw new RequestError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The request came with ${seen}. Send content-type: application/json in UTF-8.`,
    );
  }
}
