import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { describeFailure, type RequestError } from '../../router/index.ts';
import { logWhenClosed } from '../http/logRequests.ts';
import { findPlace, type PaidPlace } from '../http/places.ts';
import { closingHeader, refusedByDraining } from '../http/refuseWhenDraining.ts';
import { toPaidAnswer, toRefusal, type WireAnswer } from '../http/wireAnswer.ts';
import type { AddressLimit } from '../limits/addressLimit.ts';
import { type HealthDeps, healthAnswer } from '../surfaces/health.ts';
import { type ReadyDeps, readyAnswer } from '../surfaces/ready.ts';
import type { Reply } from '../surfaces/reply.ts';
import type { Sale } from '../surfaces/sell.ts';
import { createChallengeBytes } from './challengeBytes.ts';
import { type ClientAddress, createClientAddress } from './clientAddress.ts';
import { isPlain, takeBody } from './takeBody.ts';
import { createWriteAnswer } from './writeAnswer.ts';

interface FrontDeps extends HealthDeps, ReadyDeps {
  sale: Sale;
  logger: Logger;
  docsUrl: string;
  baseUrl: string;
  limitAddress: AddressLimit;
  trustedProxies: number;
}

/** Takes a request and answers it; false when it is left, untouched, to Express. */
export type Front = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * What is asked for most, without Express: plain POSTs to paid REST paths, `GET /health` and `GET /ready`. The sale, the
 * limit and every word are the same as there; tests/surfaces/front.test.ts sends each request both ways and compares the bytes.
 */
export function createFront(deps: FrontDeps): Front {
  const { sale, logger, docsUrl, limitAddress, work } = deps;
  const addressOf: ClientAddress = createClientAddress(deps.trustedProxies);
  const challengeBytes = createChallengeBytes(docsUrl);
  const writeAnswer = createWriteAnswer(deps.baseUrl);

  function refused(error: RequestError, place: PaidPlace | undefined, target: string, requestId: string): WireAnswer {
    return toRefusal(error, { place, target, requestId, docsUrl });
  }

  function replied(reply: Reply, place: PaidPlace, target: string, requestId: string): WireAnswer {
    if ('answer' in reply) return withHeaders(reply.headers, toPaidAnswer(reply.answer));
    const { refusal, summary } = reply;
    return withHeaders(reply.headers, toRefusal(refusal, { place, target, requestId, docsUrl, summary }));
  }

  async function sellTo(req: IncomingMessage, res: ServerResponse, place: PaidPlace): Promise<void> {
    const requestId = randomUUID();
    const target = req.url ?? '';
    logWhenClosed(logger, req, res, () => requestId);
    let limitHeaders: WireAnswer['headers'] = [];
    try {
      const limit = limitAddress(addressOf(req));
      limitHeaders = limit.headers;
      if (limit.refusal) throw limit.refusal;
      const bytes = await takeBody(req);
      // Who breaks off in the middle of a body hears nothing any more.
      if (!bytes) return;
      // Bodies take their time: what was open when this one began may be closing by now.
      if (work.isDraining) {
        const refusal = refused(refusedByDraining(), place, target, requestId);
        writeAnswer(res, requestId, [...limitHeaders, closingHeader], refusal);
        return;
      }
      const { item, surface, route } = place;
      const reply = await work.run(
        sale({
          item,
          surface,
          route,
          contentType: req.headers['content-type'],
          bytes,
          paymentHeader: single(req.headers['payment-signature']),
          requestId,
        }),
      );
      const challenge = challengeBytes(reply, place);
      writeAnswer(res, requestId, limitHeaders, challenge?.(requestId) ?? replied(reply, place, target, requestId));
    } catch (thrown) {
      const error = named(thrown, requestId);
      if (!res.headersSent) writeAnswer(res, requestId, limitHeaders, refused(error, place, target, requestId));
    }
  }

  /** What has no name is logged with its cause. */
  function named(thrown: unknown, requestId: string): RequestError {
    const error = describeFailure(thrown);
    if (error.code === 'INTERNAL') logger.error({ requestId, err: thrown }, 'request failed');
    return error;
  }

  async function tellReady(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    logWhenClosed(logger, req, res, () => requestId);
    const answer = await readyAnswer(deps).catch((thrown) =>
      refused(named(thrown, requestId), undefined, '/ready', requestId),
    );
    writeAnswer(res, requestId, [], answer);
  }

  return (req, res) => {
    if (req.method === 'GET' && req.url === '/ready') {
      void tellReady(req, res);
      return true;
    }
    if (req.method === 'GET' && req.url === '/health') {
      const requestId = randomUUID();
      logWhenClosed(logger, req, res, () => requestId);
      writeAnswer(res, requestId, [], healthAnswer(deps));
      return true;
    }
    if (req.method !== 'POST' || work.isDraining || !isPlain(req)) return false;
    const place = findPlace(req.url ?? '');
    if (place?.kind !== 'paid' || place.surface !== 'rest') return false;
    void sellTo(req, res, place);
    return true;
  };
}

/** Node joins repeated headers of that name itself; an empty one is none. */
function single(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value.join(', ') : value) || undefined;
}

function withHeaders(first: Record<string, string>, answer: WireAnswer): WireAnswer {
  return { ...answer, headers: [...Object.entries(first), ...answer.headers] };
}
