import type { CashierTimings, Clock, PaymentLogger } from './cashierConfig.ts';
import type { Admission, PaidName } from './cashierTypes.ts';
import type { Flight } from './flight.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { OnPaymentEvent } from './paymentEvents.ts';
import type { Rail } from './rail.ts';

/** What stands before the cashier while it works; built once by `createCashier`. */
export interface Desk {
  /** Built anew, and exchanged whole, when a facilitator comes to offer something else. */
  offers: ReadonlyMap<PaidName, BuiltOffer>;
  /** By network. */
  rails: ReadonlyMap<string, Rail>;
  ledger: PaymentLedger;
  /** By payment key: what this process is working on. */
  flights: Map<string, Flight>;
  /** By fingerprint: payments that are being looked at, before anything is claimed for them. */
  examining: Map<string, Promise<Admission | undefined>>;
  /** By payment key: claims being given back; a new flight waits for it. */
  leaving: Map<string, Promise<void>>;
  limitPayer: (payer: string) => number | undefined;
  onEvent: OnPaymentEvent;
  /** Free calls of one client address and UTC day; undefined: no limit. */
  freeTrialsPerIp: number | undefined;
  now: Clock;
  logger: PaymentLogger;
  timings: CashierTimings;
}

/** @throws when nothing is sold under that name: the caller's mistake, never a client's. */
export function offerOf({ offers }: Desk, paid: PaidName): BuiltOffer {
  const offer = offers.get(paid);
  if (!offer) throw new Error(`Nothing is offered under the name ${paid}.`);
  return offer;
}
