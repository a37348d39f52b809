import type { AcceptedTerms } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import { type Flight, startFlight } from './flight.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { RailPayment } from './rail.ts';
import { settlePayment } from './settlePayment.ts';

/**
 * Begins to settle a payment, for whoever waits for it, and goes on when nobody does.
 * @param seen what the ledger said of it when this try of it came in
 */
export function takeOff(
  desk: Desk,
  offer: BuiltOffer,
  facts: PaymentFacts,
  payment: RailPayment,
  terms: AcceptedTerms,
  seen?: PaymentRow,
): Flight {
  const { flights, leaving, ledger } = desk;
  const { key } = facts;
  const flight = startFlight(facts.fingerprint, async () => {
    await leaving.get(key);
    const settling = await settlePayment(desk, offer, facts, payment, terms, seen);
    if (settling.kind !== 'settled') flights.delete(key);
    else if (flight.waiting === 0) {
      // Every client has gone: the credit waits in the ledger, a free call goes back to its wallet.
      flights.delete(key);
      await letGo(desk, key, settling.free ? ledger.failed(key, 'Nobody waits for it') : ledger.release(key));
    }
    return settling;
  });
  flights.set(key, flight);
  return flight;
}

/** Gives a claim back; a flight that begins meanwhile waits for it. */
async function letGo({ leaving, logger }: Desk, key: string, work: Promise<void>): Promise<void> {
  const left = work.catch((err) => logger.error({ payment: key, err }, 'A claim stays taken'));
  leaving.set(key, left);
  await left;
  leaving.delete(key);
}

/** Gives back the credits that this process holds and does not serve: their answers could not be written, nor be given up. */
export async function letGoOfCredits(desk: Desk): Promise<void> {
  for (const key of await desk.ledger.loadHeldCredits()) {
    if (desk.flights.has(key) || desk.leaving.has(key)) continue;
    await letGo(desk, key, desk.ledger.release(key));
  }
}
