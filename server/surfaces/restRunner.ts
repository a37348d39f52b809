import type { IncomingMessage } from 'node:http';
import { createOpenApiNodeHttpHandler } from 'trpc-to-openapi';
import { type AppRouter, appRouter, type RouterContext } from '../../router/index.ts';
import { type AnswerCapture, detachedExchange } from './detachedExchange.ts';
import type { Runner } from './runner.ts';

interface Run {
  context: RouterContext;
  failure?: unknown;
}

/** REST, as trpc-to-openapi makes it of the router. Aliases run under the canonical path. */
export function createRestRunner(): Runner {
  const runs = new WeakMap<IncomingMessage, Run>();
  const handle = createOpenApiNodeHttpHandler<AppRouter, IncomingMessage, AnswerCapture>({
    router: appRouter,
    createContext: async ({ req }) => contextOf(runs, req),
    onError: ({ req, error }) => {
      const run = runs.get(req);
      if (run) run.failure = error;
    },
  });

  return async (item, input, context) => {
    const { req, res } = detachedExchange(item.path, input);
    const run: Run = { context };
    runs.set(req, run);
    await handle(req, res);
    const answer = await res.answer;
    return answer.status === 200
      ? { ok: true, answer }
      : { ok: false, failure: run.failure ?? new Error(`REST answered ${answer.status}`) };
  };
}

function contextOf(runs: WeakMap<IncomingMessage, Run>, req: IncomingMessage): RouterContext {
  const run = runs.get(req);
  if (!run) throw new TypeError('A request reached the router without passing the cashier.');
  return run.context;
}
