import { encodePaymentRequiredHeader } from '@x402/core/http';
import { parseUnits } from 'viem';
import type { EvmPaymentNetwork, PaidOffer } from './cashierConfig.ts';

/** One way to pay, as it stands in `accepts[]`. */
export interface Requirement {
  scheme: 'exact';
  network: `${string}:${string}`;
  /** Raw units of the asset. */
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

export interface BuiltOffer {
  accepts: Requirement[];
  /** PAYMENT-REQUIRED of the plain 402. */
  header: string;
  /** The same, with the reason why a payment was turned down. */
  headerFor(error: string): string;
  summary: Record<string, unknown>;
  /** Calls of one group share one free first call per wallet; undefined: every call is paid. */
  trialGroup: string | undefined;
}

/** The order in which networks are offered; clients without a preference take the first. */
const networkOrder = ['eip155:8453', 'eip155:137', 'eip155:42161'];
const usdcDecimals = 6;

const rank = (network: string): number => {
  const index = networkOrder.indexOf(network);
  return index < 0 ? networkOrder.length : index;
};

/**
 * What a procedure's 402 says (x402 v2, scheme `exact`, EIP-3009), built once at start.
 *
 * @throws {RangeError} a price of nothing.
 *
 * `extra.paymentFlow: upfront` tells clients that the payment is settled before the work.
 */
export function buildOffer(
  offer: PaidOffer,
  networks: readonly EvmPaymentNetwork[],
  maxTimeoutSeconds: number,
): BuiltOffer {
  const units = parseUnits(offer.priceUsd, usdcDecimals);
  if (units <= 0n) throw new RangeError(`The price of ${offer.paid}, ${offer.priceUsd} USD, is none.`);
  const amount = units.toString();
  const accepts = networks
    .toSorted((left, right) => rank(left.network) - rank(right.network))
    .map(
      ({ network, asset, payTo, domain }): Requirement => ({
        scheme: 'exact',
        network,
        amount,
        asset,
        payTo,
        maxTimeoutSeconds,
        extra: { name: domain.name, version: domain.version, paymentFlow: 'upfront' },
      }),
    );
  const headerFor = (error: string): string =>
    encodePaymentRequiredHeader({
      x402Version: 2,
      error,
      resource: offer.resource,
      accepts,
      ...(offer.extensions && { extensions: offer.extensions }),
    });
  return {
    accepts,
    header: headerFor('Payment required'),
    headerFor,
    summary: {
      x402Version: 2,
      price: { amount: offer.priceUsd, currency: 'USD', token: 'USDC' },
      networks: accepts.map(({ network }) => network),
      resource: offer.resource,
      ...(offer.trialGroup !== undefined && { firstCall: 'free' }),
    },
    trialGroup: offer.trialGroup,
  };
}
