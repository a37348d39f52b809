import { RequestError } from '../errors/requestError.ts';
import { t } from '../trpc.ts';
import { canonicalJson } from './canonicalJson.ts';

/**
 * The locked door. A procedure built from this runs only when the context says that exactly this
 * procedure with exactly this input was paid for, so a mistake in paths or surfaces cannot give a
 * paid answer away.
 *
 * @throws {RequestError} PAYMENT_REQUIRED
 */
export const paidProcedure = t.procedure.use(async ({ ctx, path, getRawInput, next }) => {
  const { ticket } = ctx;
  if (!ticket) throw new RequestError('PAYMENT_REQUIRED', `Nothing was paid for ${path}.`);
  const asked = canonicalJson(await getRawInput());
  if (ticket.paid !== path || ticket.canonicalInput !== asked) {
    throw new RequestError('PAYMENT_REQUIRED', `The payment was made for another request than this ${path}.`);
  }
  return next();
});
