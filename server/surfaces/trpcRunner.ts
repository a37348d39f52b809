import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import { appRouter } from '../../router/index.ts';
import { detachedExchange } from './detachedExchange.ts';
import type { Runner } from './runner.ts';

/**
 * tRPC over HTTP. The procedure is named here, not read from the URL: the stock Express adapter takes
 * the last path segment, whatever stands before it, and splits it at commas.
 */
export function createTrpcRunner(): Runner {
  return async (item, input, context) => {
    const { req, res } = detachedExchange(`/${item.name}`, input);
    let failure: unknown;
    await nodeHTTPRequestHandler({
      router: appRouter,
      path: item.name,
      req,
      res,
      allowBatching: false,
      createContext: async () => context,
      onError: ({ error }) => {
        failure = error;
      },
    });
    const answer = await res.answer;
    return answer.status === 200
      ? { ok: true, answer }
      : { ok: false, failure: failure ?? new Error(`tRPC answered ${answer.status}`) };
  };
}
