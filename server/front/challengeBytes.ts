import type { PaidPlace } from '../http/places.ts';
import { toRefusal, type WireAnswer } from '../http/wireAnswer.ts';
import type { Reply } from '../surfaces/reply.ts';

/** As long as every request's name, and none of them. */
const blank = '00000000-0000-4000-8000-000000000000';

/**
 * A 402 that is the same for everybody but for the request's name is written once, and the name put in.
 * Undefined for replies that are made for one request.
 */
export function createChallengeBytes(docsUrl: string) {
  const written = new WeakMap<Reply, (requestId: string) => WireAnswer>();
  return (reply: Reply, place: PaidPlace): ((requestId: string) => WireAnswer) | undefined => {
    if ('answer' in reply || !reply.isShared) return undefined;
    const known = written.get(reply);
    if (known) return known;
    const { refusal, summary, headers } = reply;
    // On REST a refusal is told alike at each spelling of the path.
    const blanked = toRefusal(refusal, { place, target: place.item.path, requestId: blank, docsUrl, summary });
    const [before = '', after = ''] = blanked.body.split(blank);
    const all = [...Object.entries(headers), ...blanked.headers];
    const write = (requestId: string): WireAnswer => ({
      status: blanked.status,
      headers: all,
      body: before + requestId + after,
    });
    written.set(reply, write);
    return write;
  };
}
