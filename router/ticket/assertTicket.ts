import { RequestError } from '../errors/requestError.ts';
import type { Ticket } from './ticket.ts';

/**
 * Asserts that a ticket permits this procedure with this input.
 * @param canonicalInput `canonicalJson` of the requested input
 * @throws {RequestError} PAYMENT_REQUIRED
 */
export function assertTicket(ticket: Ticket | undefined, path: string, canonicalInput: string): void {
  if (!ticket) throw new RequestError('PAYMENT_REQUIRED', `${path} was called without a payment.`);
  if (ticket.paid !== path || ticket.canonicalInput !== canonicalInput) {
    throw new RequestError(
      'PAYMENT_REQUIRED',
      `The payment was made for another request, not for this call of ${path}.`,
    );
  }
}
