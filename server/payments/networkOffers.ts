import { parseUnits } from 'viem';
import { RequestError } from '../../router/index.ts';
import { type NetworkStates, watchNetworks } from './networkStates.ts';
import { type BuiltOffer, buildOffers } from './offer.ts';
import type { OfferedNetwork } from './offerServer.ts';
import {
  isSvm,
  type PaidOffer,
  type PaymentConfig,
  type PaymentNetworkConfig,
  type PaymentTimings,
} from './paymentConfig.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';
import type { GasLeft, PaidName } from './paymentTypes.ts';
import type { SettlementObstacle } from './settlementState.ts';

/** Seconds until an unpaid client should ask again if no network can settle. */
const retryAfterSeconds = 5;

/** The offers of the networks that can settle now. All reads are from memory. */
export interface NetworkOffers {
  /** The offer of the networks that can settle now; undefined: none can, or the product is unknown. */
  find(paid: PaidName): BuiltOffer | undefined;
  /** The offer of every configured network, for matching payments. Undefined: the product is unknown. */
  findAll(paid: PaidName): BuiltOffer | undefined;
  /** `findAll` of every product. */
  all(): BuiltOffer[];
  /** Why a new payment for this product cannot settle on a configured network; undefined if it can. */
  obstacleOf(network: string, paid: PaidName): SettlementObstacle | undefined;
  /** Reads the network again, then as `obstacleOf`. */
  recheck(network: string, paid: PaidName): Promise<SettlementObstacle | undefined>;
  /** As `recheck`, after a settlement failed: if the node does not respond again, the network is withdrawn at once. */
  recheckAfterFailure(network: string, paid: PaidName): Promise<SettlementObstacle | undefined>;
  /** A call has arrived. */
  called(): void;
  /** By network: `ok`, or why it is not offered for some product. */
  states(): Record<string, SettlementObstacle | 'ok'>;
  gas(): Record<string, GasLeft>;
  stop(): void;
}

/** The 503 of an unpaid call while no network can settle: `accepts` must not be empty. */
export const noNetworkError = (): RequestError =>
  new RequestError(
    'UPSTREAM_UNAVAILABLE',
    `Payments cannot be settled on any network right now. Nothing was charged. Send the request again in ${retryAfterSeconds} s.`,
    { charged: false, retryAfterSeconds },
  );

interface Product {
  offer: PaidOffer;
  /** Millionths of a US dollar. */
  price: bigint;
  all: BuiltOffer | undefined;
  offered: BuiltOffer | undefined;
}

const toProduct = (offer: PaidOffer): Product => ({
  offer,
  price: parseUnits(offer.priceUsd, 6),
  all: undefined,
  offered: undefined,
});

/** Builds the offer of each product and set of networks once. */
function createBuilder(config: PaymentConfig, timings: PaymentTimings) {
  /** By product and networks. Cleared when a fee payer changes, so that it stays small. */
  const built = new Map<string, Promise<BuiltOffer | undefined>>();
  let extras = '';
  return {
    /** Sets the networks with their current extras. */
    use(networks: readonly OfferedNetwork[]): void {
      const current = JSON.stringify(networks.map(({ network, extra }) => [network, extra]));
      if (current !== extras) built.clear();
      extras = current;
    },
    build(offer: PaidOffer, networks: readonly OfferedNetwork[]): Promise<BuiltOffer | undefined> {
      const key = JSON.stringify([offer.paid, networks.map(({ network }) => network)]);
      const building =
        built.get(key) ??
        buildOffers([offer], networks, timings.maxTimeoutSeconds, config.preferredNetworks).then((offers) =>
          offers.get(offer.paid),
        );
      built.set(key, building);
      return building;
    },
  };
}

type ObstacleOf = (network: string, product: Product) => SettlementObstacle | undefined;

/** Sets the offers of one product. The networks may change while an offer is built: then it is chosen again. */
async function choose(
  product: Product,
  known: readonly OfferedNetwork[],
  { builder, obstacleOf }: { builder: ReturnType<typeof createBuilder>; obstacleOf: ObstacleOf },
): Promise<void> {
  const choice = () => known.filter(({ network }) => !obstacleOf(network, product));
  for (let offered = choice(); ; offered = choice()) {
    const [all, some] = await Promise.all([builder.build(product.offer, known), builder.build(product.offer, offered)]);
    if (offered.length !== choice().length || offered.some((network, index) => network !== choice()[index])) continue;
    Object.assign(product, { all, offered: offered.length > 0 ? some : undefined });
    return;
  }
}

/**
 * Keeps the offers of the networks that can settle now. A network that cannot is withdrawn, and comes back by itself.
 */
export async function openNetworkOffers(
  config: PaymentConfig,
  timings: PaymentTimings,
  paymentNetworks: ReadonlyMap<string, PaymentNetwork>,
): Promise<NetworkOffers> {
  /** The facilitators' parts of `extra`, by network. */
  const extras = new Map<string, Record<string, unknown> | undefined>();
  const products = new Map(config.offers.map((offer) => [offer.paid, toProduct(offer)]));
  const builder = createBuilder(config, timings);
  let states: NetworkStates | undefined;
  const obstacleOf: ObstacleOf = (network, { price }) =>
    extras.get(network) ? states?.obstacleOf(network, price) : 'facilitator_unavailable';

  async function rebuild(): Promise<void> {
    // While the networks are read at start there is nothing to offer.
    if (!states) return;
    const known = config.networks.flatMap((network) => {
      const extra = extras.get(network.network);
      return extra ? [{ ...network, extra }] : [];
    });
    builder.use(known);
    await Promise.all([...products.values()].map((product) => choose(product, known, { builder, obstacleOf })));
  }

  async function readExtras(networks: readonly PaymentNetworkConfig[]): Promise<void> {
    const read = networks.map(async ({ network }) => {
      const extra = await paymentNetworks.get(network)?.offerExtra();
      if (!extra) config.logger.warn({ network }, 'Not offered: its facilitator returned no fee payer');
      extras.set(network, extra);
    });
    await Promise.all(read);
  }

  await readExtras(config.networks);
  states = await watchNetworks([...paymentNetworks.values()], { timings, logger: config.logger, changed: rebuild });
  await rebuild();
  // Only a remote facilitator on Solana can change its fee payer.
  const changing = config.networks.filter((network) => network.remote && isSvm(network));
  const refresh = () =>
    readExtras(changing)
      .then(rebuild)
      .catch((err) => config.logger.error({ err }, 'The offers could not be rebuilt'));
  const timer = changing.length > 0 ? setInterval(refresh, timings.offerRefreshMs).unref() : undefined;
  const opened = states;
  const findObstacle = (network: string, paid: PaidName) => {
    const product = products.get(paid);
    return product && obstacleOf(network, product);
  };
  return {
    find: (paid) => products.get(paid)?.offered,
    findAll: (paid) => products.get(paid)?.all,
    all: () => [...products.values()].flatMap(({ all }) => all ?? []),
    obstacleOf: findObstacle,
    async recheck(network, paid) {
      await opened.check(network);
      return findObstacle(network, paid);
    },
    async recheckAfterFailure(network, paid) {
      await opened.checkAfterFailure(network);
      return findObstacle(network, paid);
    },
    called: () => opened.called(),
    states: () =>
      Object.fromEntries(
        config.networks.map(({ network }) => {
          const obstacles = [...products.values()].map((product) => obstacleOf(network, product));
          return [network, obstacles.find((obstacle) => obstacle !== undefined) ?? 'ok'];
        }),
      ),
    gas: () => opened.gas(),
    stop() {
      clearInterval(timer);
      opened.stop();
    },
  };
}
