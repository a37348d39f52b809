import type { RequestHandler } from 'express';
import { appRouter, type FreeItem, parseInput } from '../../router/index.ts';
import { bytesOf } from './body.ts';
import { sendJson, toJsonResponse } from './errorResponse.ts';
import { localsOf } from './locals.ts';
import type { ProcedureDeps } from './procedures.ts';
import { parseJson } from './readBody.ts';

/** A quote's route is in the body, so it may be larger than that of a paid call. */
export const maxFreeBodyBytes = 65_536;

/** Answers free calls over REST and tRPC. An error is thrown. */
export function answerFreeCall(deps: ProcedureDeps): RequestHandler {
  return async (req, res) => {
    const { route, requestId } = localsOf(res);
    if (route?.kind !== 'free call') throw new TypeError('A request without a free call reached its handler.');
    const body = parseJson(req.get('content-type'), bytesOf(req));
    const answer = await runFreeCall(route.item, body, { ...deps, requestId });
    sendJson(res, toJsonResponse(200, route.surface === 'trpc' ? { result: { data: answer } } : answer));
  };
}

/**
 * Validates the body and runs the procedure.
 * @throws {RequestError | TRPCError}
 */
export async function runFreeCall(
  item: FreeItem,
  body: unknown,
  { engine, pretrade, baseUrl, requestId }: ProcedureDeps & { requestId: string },
): Promise<unknown> {
  const input = parseInput(item, body);
  const caller = appRouter.createCaller({ engine, pretrade, baseUrl, requestId }) as unknown as Record<
    string,
    (input: unknown) => Promise<unknown>
  >;
  return caller[item.name]?.(input);
}
