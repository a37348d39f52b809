import { type ChainName, createEngine, poolEventsOf, type RpcEndpoint } from '../engine/index.ts';
import { serviceVersion } from '../router/index.ts';
import type { AppDeps } from './app.ts';
import type { Config } from './config/index.ts';
import type { Environment } from './environment.ts';
import { createAddressLimit } from './http/limits/addressLimit.ts';
import { createPayerLimit } from './http/limits/limitPayer.ts';
import { createRateWindow, type RateWindow } from './http/limits/rateWindow.ts';
import { createLogger } from './observability/createLogger.ts';
import type { MetricSources } from './observability/metrics/metricSources.ts';
import { secretsOfConfig } from './observability/redaction/secretsOfConfig.ts';
import type { Watch } from './observability/watch/watch.ts';
import { watchEndpoint, watchEngine, watchLedger, watchShare } from './observability/watch/watchPorts.ts';
import { createPaymentService, createReceiptIssuer, type PaymentService } from './payments/index.ts';
import { offersOf } from './payments/offersOf.ts';
import { createHttpRpcEndpoint } from './rpc/index.ts';
import { createAnswerShare, createStoreProbe, deleteExpiredRows, openStores, type Stores } from './storage/index.ts';
import { createVendors } from './vendors/index.ts';
import { createWorkInProgress } from './workInProgress.ts';

const dayMs = 86_400_000;
/** All supported chains produce a block at least every two seconds. */
const oldBlockMs = 600_000;

export interface Deps extends AppDeps {
  /** The values that the metrics read. */
  sources: MetricSources;
  /** Closes everything that was built here, after running work has ended. */
  close(): Promise<void>;
}

/** Dependencies that the parts of the service share. */
interface Shared {
  config: Config;
  environment: Environment;
  watch: Watch;
  logger: ReturnType<typeof createLogger>;
  stores: Stores;
  now: () => number;
}

type ChainEndpoints = Partial<Record<ChainName, readonly RpcEndpoint[]>>;

function openEndpoints(config: Config, { rpcUrls }: Environment, watch: Watch): ChainEndpoints {
  const chains = Object.entries(rpcUrls) as [ChainName, readonly string[]][];
  return Object.fromEntries(
    chains.map(([chain, urls]) => [
      chain,
      urls.map((url, at) => {
        const endpoint = createHttpRpcEndpoint({ url, label: `${chain}-${at + 1}`, timeoutMs: config.deadlineMs });
        return watchEndpoint(watch, chain, at + 1, endpoint);
      }),
    ]),
  );
}

/** The engine with its vendors. */
function openEngine({ config, environment, watch, logger, stores, now }: Shared, rpc: ChainEndpoints) {
  const facts = stores.facts('base');
  const vendors = createVendors({
    config: environment.vendors,
    endpoints: rpc.base ?? [],
    logIndexes: facts.logIndexes,
    poolIndex: { store: facts.poolIndex, events: poolEventsOf('base', environment) },
    now,
    onFault: (notice) => logger.warn(notice, 'vendor failed'),
    watch: (vendor, work, failed) => watch.span({ phase: 'vendor', of: vendor }, work, { failed }),
  });
  const bare = createEngine({
    rpc,
    now,
    freshnessMs: config.freshnessMs,
    deadlineMs: config.deadlineMs,
    // A local chain mines on demand, so the age of its blocks has no meaning.
    ...(config.mode === 'live' && { oldBlockMs }),
    ...(stores.database.isShared && {
      share: watchShare(
        watch,
        createAnswerShare(stores.answers, serviceVersion, (err) =>
          logger.warn({ err }, 'Cannot share answers between replicas'),
        ),
      ),
    }),
    // Time for a second vendor after the first one times out.
    pretrade: {
      vendors,
      facts: facts.store,
      pools: vendors.pools,
      vendorDeadlineMs: 2 * environment.vendors.timeoutMs,
    },
    ...(environment.extraV4Shapes && { extraV4Shapes: environment.extraV4Shapes }),
    ...(environment.extraVenues && { extraVenues: environment.extraVenues }),
    onLookup: (of, answer) => watch.record({ kind: 'asked', of, answer }),
  });
  return { engine: watchEngine(watch, bare), vendors };
}

/** `openEngine`; closes the stores if it throws. */
async function openEngineOrClose(shared: Shared, rpc: ChainEndpoints): Promise<ReturnType<typeof openEngine>> {
  try {
    return openEngine(shared, rpc);
  } catch (cause) {
    await shared.stores.close();
    throw cause;
  }
}

function openPayments(
  { config, environment, watch, logger, stores, now }: Shared,
  baseUrl: string,
  rateWindow: RateWindow,
): Promise<PaymentService> {
  const limitPayer = createPayerLimit(config.requestsPerMinutePerWallet, rateWindow, now);
  return createPaymentService({
    networks: environment.payments.map((network) => ({
      ...network,
      watchRpc: (endpoint, position) => watchEndpoint(watch, network.network, position, endpoint),
    })),
    offers: offersOf(config, baseUrl),
    ledger: watchLedger(watch, stores.ledger),
    contractWalletGasUsdPerHour: config.contractWalletGasUsdPerHour,
    preconfirmedNetworks: config.preconfirmedNetworks,
    // The sandbox gives every caller the address of its loopback.
    ...(config.mode === 'live' && config.freeTrialsPerIp !== undefined && { freeTrialsPerIp: config.freeTrialsPerIp }),
    now,
    logger,
    limitPayer: (payer) => {
      const wait = limitPayer(payer);
      if (wait !== undefined) watch.record({ kind: 'wallet limited' });
      return wait;
    },
    onEvent: (event) => watch.record(event),
    watch: (phase, network, work, ended) => watch.span({ phase, of: network }, work, { ended }),
  });
}

/**
 * The composition root.
 * @throws {WrongChainError | PaymentNetworkMismatchError | DatabaseInUseError} for an invalid configuration
 */
export async function buildDeps(
  config: Config,
  environment: Environment,
  baseUrl: string,
  watch: Watch,
): Promise<Deps> {
  const now = Date.now;
  const logger = createLogger({
    level: config.logLevel,
    secrets: secretsOfConfig(config),
  });

  // Before the stores, so that a failure here leaves none open.
  const rpc = openEndpoints(config, environment, watch);
  const stores = await openStores(environment.database, now);
  const shared: Shared = { config, environment, watch, logger, stores, now };
  const { engine, vendors } = await openEngineOrClose(shared, rpc);

  const rateWindow = createRateWindow({
    now,
    ...(stores.database.isShared && { shared: stores.rates }),
    onFault: (err) => logger.warn({ err }, 'Cannot exchange request counts between replicas'),
  });
  const housekeeping = deleteExpiredRows(stores, {
    now,
    answersMs: config.answerRetentionDays * dayMs,
    onFault: (err) => logger.warn({ err }, 'Cannot remove expired entries'),
  });
  const closeStores = async () => {
    await vendors.close();
    rateWindow.close();
    housekeeping.close();
    await stores.close();
  };
  await engine.start().catch(async (cause) => {
    await closeStores();
    throw cause;
  });
  const paymentService = await openPayments(shared, baseUrl, rateWindow).catch(async (cause) => {
    await closeStores();
    throw cause;
  });
  const work = createWorkInProgress();

  return {
    engine,
    pretrade: engine,
    paymentService,
    logger,
    mode: config.mode,
    baseUrl,
    paymentNetworks: environment.payments.map(({ network }) => network),
    freeTrialGroups: config.freeTrialGroups,
    ...(config.contactEmail !== undefined && { contactEmail: config.contactEmail }),
    startedAt: now(),
    limits: {
      requestsPerMinutePerAddress: config.requestsPerMinutePerAddress,
      requestsPerMinutePerWallet: config.requestsPerMinutePerWallet,
    },
    ...(environment.receiptKey && { receipts: createReceiptIssuer(environment.receiptKey, baseUrl) }),
    trustedProxies: config.trustedProxies,
    limitAddress: createAddressLimit(config.requestsPerMinutePerAddress, rateWindow, now),
    work,
    isStoreThere: createStoreProbe(stores.database.read, now),
    onToolCalled: (tool, status) => watch.record({ kind: 'tool called', tool, status }),
    sources: {
      mode: config.mode,
      engine,
      gasLeft: () => paymentService.gasLeft(),
      queues: () => paymentService.queues(),
      isDraining: () => work.isDraining,
      readOpenPayments: () => stores.book.open(),
      now,
    },
    ...(environment.sandbox && { sandbox: environment.sandbox }),
    async close() {
      await work.drain();
      await paymentService.close();
      await closeStores();
    },
  };
}
