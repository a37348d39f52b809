import { defaultLimits, RequestError } from '../../router/index.ts';

export const { maxBodyBytes } = defaultLimits;

/** Whether the body is empty or `{}`. Crawlers send such requests and index only paths that return 402. */
export function isProbe(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').trim();
  return text === '' || /^\{\s*\}$/.test(text);
}

/**
 * Parses a JSON body.
 * @throws {RequestError} UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST
 */
export function parseJson(contentType: string | undefined, bytes: Buffer): unknown {
  if (bytes.length === 0)
    throw new RequestError(
      'INVALID_REQUEST',
      'The body is empty. Nothing was charged. Send a JSON object like exampleRequest.',
    );
  assertJsonType(contentType);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    // TypeError: not UTF-8; SyntaxError: not JSON. There are no other errors.
    throw new RequestError(
      'INVALID_REQUEST',
      'The body is not valid JSON in UTF-8. Nothing was charged. Send a JSON object like exampleRequest.',
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
      `The request has ${seen}. Nothing was charged. Send content-type: application/json in UTF-8.`,
    );
  }
}
