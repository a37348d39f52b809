import { convertToTokenAmount } from '@x402/core/utils';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { type SchemeNetworkServer, x402ResourceServer } from '@x402/express';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { isSvm, type PaymentNetworkConfig } from './paymentConfig.ts';

const usdcDecimals = 6;

/** A network with its facilitator's terms for clients; on Solana the fee payer of their transactions. */
export type OfferedNetwork = PaymentNetworkConfig & { extra: Record<string, unknown> };

type FacilitatorClient = Extract<
  NonNullable<ConstructorParameters<typeof x402ResourceServer>[0]>,
  { getSupported: unknown }
>;

/** The resource server's own settlement uses neither journal nor claim, so it must stay unused. */
class DirectSettlementError extends Error {
  override readonly name = 'DirectSettlementError';
  constructor() {
    super('Payments are verified and settled by the payment service, which claims and journals them first.');
  }
}

/** The payment kinds of our facilitators, in the form of the published resource server. */
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

/** Prices in dollars are paid in the network's configured asset. */
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
 * The published resource server, asked for offers and for what a payment matches. Money moves by the payment service's own
 * path: the stock one has no room for a journal before the broadcast or for an outcome that is not known yet.
 */
export async function openOfferServer(networks: readonly OfferedNetwork[]): Promise<x402ResourceServer> {
  const server = new x402ResourceServer(facilitatorClient(networks));
  for (const network of networks) server.register(network.network, schemeOf(network));
  // It treats an empty list as a fault; here a facilitator has not named its fee payer yet.
  if (networks.length > 0) await server.initialize();
  return server;
}
