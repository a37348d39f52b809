import type { RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import { localsOf } from './locals.ts';
import { findPlace, type Place } from './places.ts';

/**
 * The first gate: refuses every spelling that is not served, and every method a place does not have.
 * @throws {RequestError} NOT_FOUND, METHOD_NOT_ALLOWED
 */
export const knowPlace: RequestHandler = (req, res, next) => {
  const place = findPlace(req.originalUrl);
  if (!place) {
    throw new RequestError('NOT_FOUND', 'No such path. Only the exact spelling in the documentation is served.');
  }
  localsOf(res).place = place;

  const methods = place.kind === 'free' ? ['GET', 'HEAD'] : ['POST'];
  if (req.method === 'OPTIONS') {
    res.setHeader('Allow', ['OPTIONS', ...methods].join(', '));
    res.setHeader('Access-Control-Allow-Methods', methods.join(', '));
    res.status(204).end();
    return;
  }
  if (!methods.includes(req.method)) {
    res.setHeader('Allow', methods.join(', '));
    throw new RequestError('METHOD_NOT_ALLOWED', instructions(req.method, place));
  }
  next();
};

function instructions(method: string, place: Place): string {
  if (place.kind === 'free') return `${method} is not served here. Use GET.`;
  if (place.kind === 'mcp') return `${method} is not served here: MCP is spoken by POST, without sessions or streams.`;
  return (
    `${method} is not served here. Send ${place.route} with content-type application/json and a body like exampleRequest. ` +
    `The first answer is 402 and says how to pay ${place.item.priceUsd} USD; then send the same POST with PAYMENT-SIGNATURE.`
  );
}
