import { type BuiltOffer, buildOffers } from './offer.ts';
import type { OfferedNetwork } from './offerServer.ts';
import { isSvm, type PaymentConfig, type PaymentTimings } from './paymentConfig.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';

type Offers = ReadonlyMap<string, BuiltOffer>;

/** The networks to offer: those whose facilitator has returned its terms. */
async function readOffered(
  config: PaymentConfig,
  paymentNetworks: ReadonlyMap<string, PaymentNetwork>,
): Promise<OfferedNetwork[]> {
  const offered = config.networks.map(async (network) => {
    const extra = await paymentNetworks.get(network.network)?.offerExtra();
    if (!extra) config.logger.warn({ network: network.network }, 'Not offered: its facilitator returned no fee payer');
    return extra ? [{ ...network, extra }] : [];
  });
  return (await Promise.all(offered)).flat();
}

/**
 * Builds the offers, and rebuilds them when a remote facilitator changes its fee payer.
 *
 * @param use receives the offers: the first ones before this resolves, then each changed set
 */
export async function keepOffers(
  config: PaymentConfig,
  timings: PaymentTimings,
  paymentNetworks: ReadonlyMap<string, PaymentNetwork>,
  use: (offers: Offers) => void,
): Promise<{ stop(): void }> {
  let lastExtras = '';
  async function refresh(): Promise<void> {
    const networks = await readOffered(config, paymentNetworks);
    const extras = JSON.stringify(networks.map(({ network, extra }) => [network, extra]));
    if (extras === lastExtras) return;
    use(await buildOffers(config.offers, networks, timings.maxTimeoutSeconds));
    lastExtras = extras;
  }
  await refresh();
  if (!config.networks.some((network) => network.remote && isSvm(network))) return { stop: () => undefined };
  const timer = setInterval(() => {
    refresh().catch((err) => config.logger.error({ err }, 'The offers could not be rebuilt'));
  }, timings.offerRefreshMs).unref();
  return { stop: () => clearInterval(timer) };
}
