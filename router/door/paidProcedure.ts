import { t } from '../trpc.ts';
import { assertTicket } from './assertTicket.ts';
import { canonicalJson } from './canonicalJson.ts';

/**
 * Every paid procedure is built from this. It runs only when the context holds a ticket for exactly this product with
 * exactly this input, so a mistake in routing cannot give a paid answer away.
 *
 * @throws {RequestError} PAYMENT_REQUIRED
 */
export const paidProcedure = t.procedure.use(async ({ ctx, meta, path, getRawInput, next }) => {
  assertTicket(ctx.ticket, meta?.paid?.product ?? path, canonicalJson(await getRawInput()));
  return next();
});
