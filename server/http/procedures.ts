import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { Request as ExpressRequest, RequestHandler } from 'express';
import { createOpenApiExpressMiddleware } from 'trpc-to-openapi';
import type { Engine, PretradeChecker } from '../../engine/index.ts';
import { appRouter, openApiRouter, type RouterContext } from '../../router/index.ts';
import { callOf, type PaidCall } from '../payments/index.ts';

export interface ProcedureDeps {
  engine: Engine;
  pretrade: PretradeChecker;
  baseUrl: string;
}

/** The context of a procedure. It contains a ticket if the call was paid. */
export function toContext(
  { acceptedPayment, query, requestId }: PaidCall,
  { engine, pretrade, baseUrl }: ProcedureDeps,
): RouterContext {
  return { engine, pretrade, requestId, baseUrl, query, ...(acceptedPayment && { ticket: acceptedPayment.ticket }) };
}

/** REST: every documented path, aliases included, as trpc-to-openapi serves it. */
export function restProcedures(deps: ProcedureDeps): RequestHandler {
  return createOpenApiExpressMiddleware({
    router: openApiRouter,
    createContext: async ({ req }: { req: ExpressRequest }) => toContext(callOf(req.body), deps),
    onError: ({ req, error }: { req: ExpressRequest; error: unknown }) => {
      callOf(req.body).failure = error;
    },
  });
}

/**
 * tRPC over HTTP, with the fetch adapter. The Express adapter stops writing when the client disconnects, so the stored
 * answer of a paid call would be empty.
 */
export function trpcProcedures(deps: ProcedureDeps): RequestHandler {
  return async (req, res) => {
    const call = callOf(req.body);
    const response = await fetchRequestHandler({
      endpoint: '/trpc',
      router: appRouter,
      req: new Request(`http://localhost${call.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(req.body),
      }),
      allowBatching: false,
      createContext: () => toContext(call, deps),
      onError: ({ error }) => {
        call.failure = error;
      },
    });
    res.status(response.status).end(await response.text());
  };
}
