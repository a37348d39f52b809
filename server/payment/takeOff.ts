import type { AcceptedTerms } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import { type Flight, startFlight } from './flight.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { RailPayment } from './rail.ts';
import { settlePayment } from './settlePayment.ts';

/** Begins to settle a payment, for whoever waits for it, and goes on when nobody does. */
export function takeOff(
  desk: Desk,
  offer: BuiltOffer,
  facts: PaymentFacts,
  payment: RailPayment,
  terms: AcceptedTerms,
): Flight {
  const { flights, leaving, ledger, logger } = desk;
  const { key } = facts;
  const flight = startFlight(facts.fingerprint, async () => {
    await leaving.get(key);
    const settling = await settlePayment(desk, offer, facts, payment, terms);
    if (settling.kind !== 'settled') flights.delete(key);
    else if (flight.waiting === 0) {
      // Every client has gone: the credit waits in the ledger, a free call goes back to its wallet.
      flights.delete(key);
      const letGo = settling.free ? ledger.failed(key, 'Nobody waits for it') : ledger.release(key);
      const left = letGo.catch((err) => logger.error({ payment: key, err }, 'A claim stays taken'));
      leaving.set(key, left);
      await left;
      leaving.delete(key);
    }
    return settling;
  });
  flights.set(key, flight);
  return flight;
}
