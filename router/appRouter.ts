import { pretradeAliasProcedures, pretradeProcedure } from './pretrade/pretradeProcedure.ts';
import { quoteProcedure } from './quote/quoteProcedure.ts';
import { transactionProcedure } from './transaction/transactionProcedure.ts';
import { t } from './trpc.ts';

const procedures = { quote: quoteProcedure, pretradeCheck: pretradeProcedure, buildTransaction: transactionProcedure };

/** Every procedure under its canonical name, for tRPC, MCP and the catalogue. */
export const appRouter = t.router(procedures);

export type AppRouter = typeof appRouter;

/** `appRouter` with the REST aliases. trpc-to-openapi serves and documents every REST path from it. */
export const openApiRouter = t.router({ ...procedures, ...pretradeAliasProcedures });
