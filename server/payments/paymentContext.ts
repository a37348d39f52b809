import type { PaymentLedger } from './ledger/ledgerTypes.ts';
import type { NetworkOffers } from './networkOffers.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaidWallets } from './paidWallets.ts';
import type { Clock, PaymentLogger, PaymentTimings } from './paymentConfig.ts';
import type { OnPaymentEvent } from './paymentEvents.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';
import type { PaidName, PaymentDecision } from './paymentTypes.ts';
import type { Preparations } from './preparations.ts';
import type { Settlement } from './settlement.ts';
import type { WalletTurns } from './walletTurns.ts';

/** State and dependencies of one payment service; built once by `createPaymentService`. */
export interface PaymentContext {
  offers: NetworkOffers;
  /** By CAIP-2 id. */
  paymentNetworks: ReadonlyMap<string, PaymentNetwork>;
  ledger: PaymentLedger;
  /** By payment key: settlements of this process. */
  settlements: Map<string, Settlement>;
  /** By fingerprint: verifications before the claim. */
  verifying: Map<string, Promise<PaymentDecision | undefined>>;
  /** By payment key: claims that are being released. A new settlement of the payment waits for the release. */
  releasing: Map<string, Promise<void>>;
  /** Payments that wait until other payments of their wallet have ended. */
  turns: WalletTurns;
  limitPayer: (payer: string) => number | undefined;
  paidWallets: PaidWallets;
  preparations: Preparations;
  onEvent: OnPaymentEvent;
  /** Free calls for one client IP address in a UTC day; undefined: no limit. */
  freeTrialsPerIp: number | undefined;
  now: Clock;
  logger: PaymentLogger;
  timings: PaymentTimings;
}

/**
 * The offer of a product: of the networks that can settle now, or of all if none can.
 * @throws {Error} an unknown name, which no client can cause
 */
export function offerOf({ offers }: PaymentContext, paid: PaidName): BuiltOffer {
  const offer = offers.find(paid) ?? offers.findAll(paid);
  if (!offer) throw new Error(`There is no offer for ${paid}.`);
  return offer;
}
