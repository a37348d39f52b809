import type { ServerResponse } from 'node:http';
import { openingHeaders } from '../http/openingHeaders.ts';
import type { WireAnswer } from '../http/wireAnswer.ts';

const opening = openingHeaders.flat();

/** Sends all in one go: headers that are set one by one cost more than the rest of a short answer. */
export function writeAnswer(
  res: ServerResponse,
  requestId: string,
  limitHeaders: WireAnswer['headers'],
  { status, headers, body }: WireAnswer,
): void {
  const flat = ['X-Request-Id', requestId, ...opening];
  for (const [name, value] of limitHeaders) flat.push(name, value);
  for (const [name, value] of headers) flat.push(name, value);
  res.writeHead(status, flat);
  res.end(body);
}
