import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequirements, x402ResourceServer } from '@x402/express';
import type { PaymentEnvelope } from './decodePayment.ts';
import { type OfferedNetwork, openOfferServer } from './offerServer.ts';
import type { PaidOffer } from './paymentConfig.ts';
import { identifierDeclaration } from './paymentIdentifier.ts';
import type { PaidName } from './paymentTypes.ts';

/** One entry of `accepts[]`; `amount` in raw units of the asset. */
export type Requirement = PaymentRequirements;

export interface BuiltOffer {
  accepts: Requirement[];
  /**
   * PAYMENT-REQUIRED of a 402 for an unpaid request, and the summary in its body. `path` replaces the path of its resource
   * URL.
   */
  challengeAt(path?: string): { header: string; summary: Record<string, unknown> };
  /** PAYMENT-REQUIRED of a 402 for a refused payment, with the reason as its `error`. */
  headerFor(error: string): string;
  /** The entry of `accepts` that equals the payment's `accepted`; a client may add fields to `extra`, but change none. */
  find(envelope: PaymentEnvelope): Requirement | undefined;
  /** Group whose calls share one free call per wallet; undefined: every call is paid. */
  trialGroup: string | undefined;
}

/** The order in which networks are offered; clients without a preference use the first. */
const networkOrder = ['eip155:8453', 'eip155:137', 'eip155:42161', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'];

function rankOf(order: readonly string[], network: string): number {
  const index = order.indexOf(network);
  return index < 0 ? order.length : index;
}

/**
 * Builds the 402 of each procedure (x402 v2, scheme `exact`) with x402's resource server.
 *
 * `extra.paymentFlow: upfront` announces that a payment is settled before the procedure runs.
 *
 * @param preferred networks that come first, in this order
 * @throws {RangeError} a price is zero
 */
export async function buildOffers(
  offers: readonly PaidOffer[],
  networks: readonly OfferedNetwork[],
  maxTimeoutSeconds: number,
  preferred: readonly string[] = [],
): Promise<ReadonlyMap<PaidName, BuiltOffer>> {
  const order = [...preferred, ...networkOrder];
  const sorted = networks.toSorted((left, right) => rankOf(order, left.network) - rankOf(order, right.network));
  const server = await openOfferServer(sorted);
  const built = await Promise.all(
    offers.map(async (offer) => [offer.paid, await buildOffer(server, offer, sorted, maxTimeoutSeconds)] as const),
  );
  return new Map(built);
}

async function buildOffer(
  server: x402ResourceServer,
  offer: PaidOffer,
  networks: readonly OfferedNetwork[],
  maxTimeoutSeconds: number,
): Promise<BuiltOffer> {
  const accepts = await server.buildPaymentRequirementsFromOptions(
    networks.map(({ network, payTo }) => ({
      scheme: 'exact',
      network,
      payTo,
      price: `$${offer.priceUsd}`,
      maxTimeoutSeconds,
      extra: { paymentFlow: 'upfront' },
    })),
    undefined,
  );
  if (accepts.some(({ amount }) => BigInt(amount) <= 0n)) {
    throw new RangeError(`The price of ${offer.paid} must be positive, got ${offer.priceUsd} USD.`);
  }
  const required = await server.createPaymentRequiredResponse(accepts, offer.resource, 'Payment required', {
    ...offer.extensions,
    ...identifierDeclaration(),
  });
  const challengeFor = (url: string) => {
    const resource = { ...offer.resource, url };
    return {
      header: encodePaymentRequiredHeader({ ...required, resource }),
      summary: {
        x402Version: 2,
        accepts,
        price: { amount: offer.priceUsd, currency: 'USD', token: 'USDC' },
        networks: accepts.map(({ network }) => network),
        resource,
        ...(offer.trialGroup !== undefined && { firstCall: 'free' }),
      },
    };
  };
  const canonical = challengeFor(offer.resource.url);
  // Bounded: paths come from the fixed list of routes.
  const byPath = new Map<string, typeof canonical>();
  return {
    accepts,
    challengeAt(path) {
      if (path === undefined) return canonical;
      const challenge = byPath.get(path) ?? challengeFor(new URL(path, offer.resource.url).href);
      byPath.set(path, challenge);
      return challenge;
    },
    headerFor: (error) => encodePaymentRequiredHeader({ ...required, error }),
    find: ({ accepted, payload }) => server.findMatchingRequirements(accepts, { x402Version: 2, accepted, payload }),
    trialGroup: offer.trialGroup,
  };
}
