import { t } from '../trpc.ts';
import { assertTicket } from './assertTicket.ts';
import { canonicalJson } from './canonicalJson.ts';

/**
 * The base of every paid procedure. It runs only when the context contains a ticket for exactly this product and input,
 * so a routing error cannot return a paid answer for free.
 *
 * @throws {RequestError} PAYMENT_REQUIRED
 */
export const paidProcedure = t.procedure.use(async ({ ctx, meta, path, getRawInput, next }) => {
  assertTicket(ctx.ticket, meta?.paid?.product ?? path, canonicalJson(await getRawInput()));
  return next();
});
