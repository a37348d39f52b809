import type { Desk } from './desk.ts';
import type { SignedAuthorization } from './evm/authorization.ts';
import type { Facilitator } from './facilitator.ts';
import { type Flight, startFlight } from './flight.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import { settlePayment } from './settlePayment.ts';

/** Begins to settle a payment, for whoever waits for it, and goes on when nobody does. */
export function takeOff(
  desk: Desk,
  facilitator: Facilitator<SignedAuthorization>,
  offer: BuiltOffer,
  facts: PaymentFacts,
  payment: SignedAuthorization,
): Flight {
  const { flights, ledger, logger } = desk;
  const { key } = facts;
  const flight = startFlight(facts.fingerprint, async () => {
    const settling = await settlePayment(desk, facilitator, offer, facts, payment);
    if (settling.kind !== 'settled') flights.delete(key);
    else if (flight.waiting === 0) {
      // Every client has gone: the credit waits in the ledger, a free call goes back to its wallet.
      flights.delete(key);
      const letGo = settling.free ? ledger.failed(key, 'Nobody waits for it') : ledger.release(key);
      await letGo.catch((err) => logger.error({ payment: key, err }, 'A claim stays taken'));
    }
    return settling;
  });
  flights.set(key, flight);
  return flight;
}
