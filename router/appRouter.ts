import { pretradeProcedure } from './pretrade/pretradeProcedure.ts';
import { quoteProcedure } from './quote/quoteProcedure.ts';
import { t } from './trpc.ts';

/** Everything that can be bought. REST, tRPC, prices and docs are computed from it. */
export const appRouter = t.router({
  quote: quoteProcedure,
  pretradeCheck: pretradeProcedure,
});

export type AppRouter = typeof appRouter;
