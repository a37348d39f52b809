import { t } from '../trpc.ts';
import { assertTicket } from './assertTicket.ts';
import { canonicalJson } from './canonicalJson.ts';

/**
 * The locked door. A procedure built from this runs only when the context says that exactly this
 * procedure with exactly this input was paid for, so a mistake in paths or surfaces cannot give a
 * paid answer away.
 *
 * @throws {RequestError} PAYMENT_REQUIRED
 */
export const paidProcedure = t.procedure.use(async ({ ctx, path, getRawInput, next }) => {
  assertTicket(ctx.ticket, path, canonicalJson(await getRawInput()));
  return next();
});
