import type { RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';
import { localsOf } from './locals.ts';
import { findRoute, type Route } from './routes.ts';

/**
 * Matches the exact path and stores its route. Answers OPTIONS. Rejects unknown paths and unsupported methods.
 * @throws {RequestError} NOT_FOUND, METHOD_NOT_ALLOWED
 */
export const routeMatch: RequestHandler = (req, res, next) => {
  const route = findRoute(req.originalUrl);
  if (!route) {
    throw new RequestError(
      'NOT_FOUND',
      `No such path: ${req.originalUrl.slice(0, 80)}. Nothing was charged. Use a path listed in /openapi.json, spelled exactly.`,
    );
  }
  localsOf(res).route = route;

  const methods = route.kind === 'free' ? ['GET', 'HEAD'] : ['POST'];
  if (req.method === 'OPTIONS') {
    res.setHeader('Allow', ['OPTIONS', ...methods].join(', '));
    res.setHeader('Access-Control-Allow-Methods', methods.join(', '));
    res.status(204).end();
    return;
  }
  if (!methods.includes(req.method)) {
    res.setHeader('Allow', methods.join(', '));
    throw new RequestError('METHOD_NOT_ALLOWED', instructions(req.method, route));
  }
  next();
};

function instructions(method: string, route: Route): string {
  if (route.kind === 'free') return `${method} is not served here. Nothing was charged. Use GET.`;
  if (route.kind === 'mcp')
    return `${method} is not served here: MCP uses POST, without sessions or streams. Nothing was charged.`;
  if (route.kind === 'solana reads') return `${method} is not served here: JSON-RPC uses POST. Nothing was charged.`;
  if (route.kind === 'a2a') return `${method} is not served here: message:send of A2A uses POST. Nothing was charged.`;
  const send = `Send POST ${route.path} with content-type application/json and a body like exampleRequest. `;
  if (route.kind === 'free call') return `${method} is not served here. ${send}It is free.`;
  return (
    `${method} is not served here. Nothing was charged. ${send}` +
    `The first answer is 402 with the terms for ${route.item.priceUsd} USD; sign them and send the same POST with PAYMENT-SIGNATURE.`
  );
}
