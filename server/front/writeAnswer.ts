import type { ServerResponse } from 'node:http';
import { tlsHeaders } from '../http/keepTls.ts';
import { openingHeaders } from '../http/openingHeaders.ts';
import { noteRequestName } from '../http/requestName.ts';
import type { WireAnswer } from '../http/wireAnswer.ts';

export type WriteAnswer = (
  res: ServerResponse,
  requestId: string,
  limitHeaders: WireAnswer['headers'],
  answer: WireAnswer,
) => void;

/** Sends all in one go: headers that are set one by one cost more than the rest of a short answer. */
export function createWriteAnswer(publicUrl: string): WriteAnswer {
  const opening = [...openingHeaders, ...tlsHeaders(publicUrl)].flat();
  return (res, requestId, limitHeaders, { status, headers, body }) => {
    noteRequestName(res, requestId);
    const flat = ['X-Request-Id', requestId, ...opening];
    for (const [name, value] of limitHeaders) flat.push(name, value);
    for (const [name, value] of headers) flat.push(name, value);
    res.writeHead(status, flat);
    res.end(body);
  };
}
