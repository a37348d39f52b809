import type { RequestHandler } from 'express';
import type { Engine } from '../../engine/index.ts';
import { describeFailure, parseInput } from '../../router/index.ts';
import { attachCall, callOf } from '../payments/index.ts';
import { bytesOf } from './body.ts';
import { jsonType, toErrorResponse } from './errorResponse.ts';
import { keyOf } from './limits/addressLimit.ts';
import { localsOf, paidRouteOf } from './locals.ts';
import { isProbe, parseJson } from './readBody.ts';

/**
 * Validates the body with the procedure's schema before any payment is read.
 * @throws {RequestError} INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE, UNSUPPORTED_CHAIN
 */
export function parsePaidCall(baseUrl: string): RequestHandler {
  return (req, res, next) => {
    const route = paidRouteOf(res);
    const { requestId, countForWallet } = localsOf(res);
    const { item, endpoint, path } = route;
    const bytes = bytesOf(req);
    const hasPayment = Boolean(req.get('payment-signature'));
    const isUnpaidProbe = !hasPayment && isProbe(bytes);
    const input = isUnpaidProbe ? undefined : parseInput(item, parseJson(req.get('content-type'), bytes));
    const query = input && item.toQuery(input);
    const target = req.originalUrl;
    req.body = input ?? {};
    attachCall(req.body, {
      item,
      endpoint,
      path,
      requestId,
      client: keyOf(req.ip),
      countForWallet,
      input,
      query,
      toError: (error, summary = {}) =>
        toErrorResponse(error, { route, target, requestId, baseUrl, hasPayment, summary }),
    });
    next();
  };
}

/**
 * Rejects requests that cannot be answered, with or without a payment.
 * @throws {RequestError} UNSUPPORTED_CHAIN, UPSTREAM_UNAVAILABLE
 */
export function checkAdmissibility(engine: Engine): RequestHandler {
  return (req, _res, next) => {
    const { item, input, query } = callOf(req.body);
    if (input) item.beforePayment(query, engine);
    next();
  };
}

/**
 * Hides the client's headers and query from the handler: an invalid `Host` would make trpc-to-openapi's handler fail
 * after the payment.
 */
export const isolateHandler: RequestHandler = (req, _res, next) => {
  req.url = callOf(req.body).path;
  req.headers = { host: 'localhost', 'content-type': 'application/json' };
  next();
};

/**
 * Replaces the adapters' error bodies with the documented one, and sets one content type. Installed after the payment
 * middleware, so that the gate receives the final response.
 */
export const normaliseResponse: RequestHandler = (req, res, next) => {
  const call = callOf(req.body);
  const { write, end } = res;
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): true => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    return true;
  };
  res.write = keep;
  res.end = ((chunk?: unknown) => {
    keep(chunk);
    // Later writes of the payment middleware pass through unchanged.
    Object.assign(res, { write, end });
    res.setHeader('Content-Type', jsonType);
    if (res.statusCode < 400) return res.end(Buffer.concat(chunks));
    const error = describeFailure(call.failure);
    const { status, headers, body } = call.toError(call.acceptedPayment?.explain(error) ?? error);
    res.status(status).set(headers);
    if (call.acceptedPayment) res.setHeader('PAYMENT-RESPONSE', call.acceptedPayment.paymentResponse);
    return res.end(body);
  }) as typeof res.end;
  next();
};
