import { convertToTokenAmount } from '@x402/core/utils';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { type SchemeNetworkServer, x402ResourceServer } from '@x402/express';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { isSvm, type PaymentNetworkConfig } from './paymentConfig.ts';

const usdcDecimals = 6;

/** A network, and its facilitator's part of the offer's `extra`; on Solana the fee payer. */
export type OfferedNetwork = PaymentNetworkConfig & { extra: Record<string, unknown> };

type FacilitatorClient = Extract<
  NonNullable<ConstructorParameters<typeof x402ResourceServer>[0]>,
  { getSupported: unknown }
>;

/** The resource server's own settlement must not be used: it neither claims nor journals a payment. */
class DirectSettlementError extends Error {
  override readonly name = 'DirectSettlementError';
  constructor() {
    super('Payments are verified and settled by the payment service, which claims and journals them first.');
  }
}

/** Returns the payment kinds of our facilitators in x402's format. */
function facilitatorClient(networks: readonly OfferedNetwork[]): FacilitatorClient {
  const refuse = async (): Promise<never> => {
    throw new DirectSettlementError();
  };
  return {
    getSupported: async () => ({
      kinds: networks.map(({ network, extra }) => ({ x402Version: 2, scheme: 'exact', network, extra })),
      extensions: [],
      signers: {},
    }),
    verify: refuse,
    settle: refuse,
  };
}

/** The `exact` scheme of a network; converts prices in US dollars to amounts of the configured asset. */
function schemeOf(network: PaymentNetworkConfig): SchemeNetworkServer {
  const { asset } = network;
  const scheme = isSvm(network) ? new ExactSvmScheme() : new ExactEvmScheme();
  return scheme.registerMoneyParser(async (dollars) => ({
    amount: convertToTokenAmount(String(dollars), usdcDecimals),
    asset,
    extra: isSvm(network) ? {} : { ...network.domain },
  }));
}

/**
 * Opens x402's resource server, which builds offers and matches payments with them. The payment service settles itself,
 * because the resource server supports neither a journal before the broadcast nor an unknown outcome.
 */
export async function openOfferServer(networks: readonly OfferedNetwork[]): Promise<x402ResourceServer> {
  const server = new x402ResourceServer(facilitatorClient(networks));
  for (const network of networks) server.register(network.network, schemeOf(network));
  // `initialize` rejects an empty list, which occurs while no facilitator has returned its fee payer.
  if (networks.length > 0) await server.initialize();
  return server;
}
