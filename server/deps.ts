import { createEngine, withPace } from '../engine/index.ts';
import { serviceVersion } from '../router/index.ts';
import type { AppDeps } from './app.ts';
import type { Config } from './config/index.ts';
import type { Environment } from './environment.ts';
import { createAddressLimit } from './http/limits/addressLimit.ts';
import { createPayerLimit } from './http/limits/limitPayer.ts';
import { createRateWindow, type RateWindow } from './http/limits/rateWindow.ts';
import { createSignedLimit } from './http/limits/signedLimit.ts';
import { createLogger } from './observability/createLogger.ts';
import type { Instrumentation } from './observability/instrumentation/instrumentation.ts';
import {
  instrumentEndpoint,
  instrumentEngine,
  instrumentLedger,
  instrumentShare,
} from './observability/instrumentation/instrumentPorts.ts';
import type { MetricSources } from './observability/metrics/metricSources.ts';
import { secretsOfConfig } from './observability/redaction/secretsOfConfig.ts';
import { type ChainEndpoints, openEndpoints } from './openEndpoints.ts';
import { openWatches } from './openWatches.ts';
import { createPaymentService, createReceiptIssuer, type PaymentService } from './payments/index.ts';
import { offersOf } from './payments/offersOf.ts';
import { openPoolIndexes } from './poolIndexes.ts';
import { createPaces, type KeptConnections, keepConnections, notingUse, type Paces } from './rpc/index.ts';
import {
  createAnswerShare,
  createStoreProbe,
  type DatabaseOrigin,
  deleteExpiredRows,
  openStores,
  type Stores,
} from './storage/index.ts';
import { createVendors, type VendorFaultNotice } from './vendors/index.ts';
import { createWorkInProgress } from './workInProgress.ts';

const dayMs = 86_400_000;
/** A latest block older than this counts as old: supported chains produce one at least every few seconds. */
const oldBlockMs = 600_000;

export interface Deps extends AppDeps {
  /** Whether the database was new at this start. */
  storeOrigin: DatabaseOrigin;
  /** Inputs of a metrics scrape. */
  sources: MetricSources;
  /** Closes everything that was built here, after running work has ended. */
  close(): Promise<void>;
}

/** Dependencies that the parts of the service share. */
interface Shared {
  config: Config;
  environment: Environment;
  instrumentation: Instrumentation;
  logger: ReturnType<typeof createLogger>;
  stores: Stores;
  paces: Paces;
  connections: KeptConnections;
  now: () => number;
}

/** Opens the engine and its vendors. */
function openEngine(shared: Shared, rpc: ChainEndpoints) {
  const { config, environment, instrumentation, logger, stores, connections, now } = shared;
  const facts = stores.facts('base');
  const onFault = (notice: VendorFaultNotice) => logger.warn(notice, 'vendor failed');
  const poolIndexes = openPoolIndexes(environment, rpc, { stores, onFault, logger });
  const vendors = createVendors({
    config: environment.vendors,
    endpoints: (rpc.base ?? []).map((endpoint) => withPace(endpoint, 'patient')),
    logIndexes: facts.logIndexes,
    now,
    onFault,
    onSearchEnd: (end) => instrumentation.record({ kind: 'log search ended', end }),
    instrument: (vendor, work, failed) => instrumentation.span({ phase: 'vendor', of: vendor }, work, { failed }),
  });
  const engine = createEngine({
    rpc,
    now,
    freshnessMs: config.freshnessMs,
    deadlineMs: config.deadlineMs,
    // A local chain mines on demand, so the age of its blocks has no meaning.
    ...(config.mode === 'live' && { oldBlockMs }),
    ...(stores.database.isShared && {
      share: instrumentShare(
        instrumentation,
        createAnswerShare(stores.answers, serviceVersion, (err) =>
          logger.warn({ err }, 'Cannot share answers between replicas'),
        ),
      ),
    }),
    poolIndexes: poolIndexes.of,
    poolHints: vendors.poolHints,
    pretrade: {
      vendors,
      facts: facts.store,
      pools: poolIndexes.of.base,
      // Time for a second vendor after the first one times out.
      vendorDeadlineMs: 2 * environment.vendors.timeoutMs,
    },
    ...(environment.extraV4Shapes && { extraV4Shapes: environment.extraV4Shapes }),
    ...(environment.extraVenues && { extraVenues: environment.extraVenues }),
    ...(environment.standInFactories && { standInFactories: environment.standInFactories }),
    withdrawnExecutors: config.withdrawnExecutors,
    onNodeFault: (fault) => logger.warn(fault, 'The node does not simulate trades as a check needs'),
    onLookup: (of, answer) => instrumentation.record({ kind: 'lookup', of, answer }),
  });
  for (const [chain, endpoints = []] of Object.entries(rpc)) {
    for (const endpoint of endpoints) connections.add(chain, { endpoint, method: 'eth_chainId' });
  }
  return { engine: notingUse(instrumentEngine(instrumentation, engine), connections), vendors, poolIndexes };
}

/** Opens the engine; closes the stores if that fails. */
async function openEngineOrClose(shared: Shared, rpc: ChainEndpoints): Promise<ReturnType<typeof openEngine>> {
  try {
    return openEngine(shared, rpc);
  } catch (cause) {
    await shared.stores.close();
    throw cause;
  }
}

function openPayments(
  { config, environment, instrumentation, logger, stores, paces, connections, now }: Shared,
  baseUrl: string,
  rateWindow: RateWindow,
): Promise<PaymentService> {
  const limitPayer = createPayerLimit(config.requestsPerMinutePerWallet, rateWindow, now);
  return createPaymentService({
    networks: environment.payments.map((network) => ({
      ...network,
      watchRpc: (endpoint, position) => {
        const instrumented = instrumentEndpoint(instrumentation, network.network, position, endpoint);
        const pace = paces.of(network.rpcUrls[position - 1] ?? '');
        const method = network.network.startsWith('solana:') ? 'getHealth' : 'eth_chainId';
        connections.add(network.network, { endpoint: instrumented, method });
        return withPace({ ...instrumented, pace }, 'settlement');
      },
    })),
    offers: offersOf(config, baseUrl),
    ledger: instrumentLedger(instrumentation, stores.ledger),
    contractWalletGasUsdPerHour: config.contractWalletGasUsdPerHour,
    preconfirmedNetworks: config.preconfirmedNetworks,
    preferredNetworks: config.preferredNetworks,
    // In the sandbox all callers share the loopback address.
    ...(config.mode === 'live' && config.freeTrialsPerIp !== undefined && { freeTrialsPerIp: config.freeTrialsPerIp }),
    now,
    logger,
    limitPayer: (payer) => {
      const wait = limitPayer(payer);
      if (wait !== undefined) instrumentation.record({ kind: 'wallet limited' });
      return wait;
    },
    onEvent: (event) => {
      if (event.kind === 'transaction sent') connections.used(event.network);
      instrumentation.record(event);
    },
    watch: (phase, network, work, ended) => instrumentation.span({ phase, of: network }, work, { ended }),
  });
}

function openLimits({ config, now }: Shared, window: RateWindow, { readSigner }: PaymentService) {
  const { requestsPerMinutePerAddress: perAddress, requestsPerMinutePerWallet: perWallet } = config;
  const limitAddress = createAddressLimit(perAddress, window, now);
  return {
    limits: { requestsPerMinutePerAddress: perAddress, requestsPerMinutePerWallet: perWallet },
    limitAddress,
    limitSigned: createSignedLimit({ perAddress, perWallet, window, limitAddress, readSigner, now }),
  };
}

const openStoreProbe = ({ stores: { database, replica }, logger, now }: Shared) =>
  createStoreProbe(database, {
    now,
    replica,
    onChange: (isAvailable, err) =>
      isAvailable
        ? logger.info('The payment database can be written again')
        : logger.error(
            { err },
            'The payment database cannot be written: payments are refused with 503 until a write succeeds',
          ),
  });

const openRateWindow = ({ stores, logger, now }: Shared): RateWindow =>
  createRateWindow({
    now,
    ...(stores.database.isShared && { shared: stores.rates }),
    onFault: (err) => logger.warn({ err }, 'Cannot exchange request counts between replicas'),
  });

const openHousekeeping = ({ config, logger, stores, now }: Shared) =>
  deleteExpiredRows(stores, {
    now,
    answersMs: config.answerRetentionDays * dayMs,
    onFault: (err) => logger.warn({ err }, 'Cannot remove expired entries'),
  });

/**
 * The composition root: builds every part of the service from the configuration.
 * @throws {WrongChainError | PaymentNetworkMismatchError | DatabaseInUseError} for an invalid configuration
 */
export async function buildDeps(
  config: Config,
  environment: Environment,
  baseUrl: string,
  instrumentation: Instrumentation,
): Promise<Deps> {
  const now = Date.now;
  const logger = createLogger({ level: config.logLevel, secrets: secretsOfConfig(config) });
  // Before the stores, so that a failure here leaves no store open.
  const paces = createPaces(environment.rpcUrls, environment.rpcBudgets ?? {}, now);
  const rpc = openEndpoints(config, environment, instrumentation, paces);
  const stores = await openStores(environment.database, now);
  const connections = keepConnections(now);
  const shared: Shared = { config, environment, instrumentation, logger, stores, paces, connections, now };
  const { engine, vendors, poolIndexes } = await openEngineOrClose(shared, rpc);
  const rateWindow = openRateWindow(shared);
  const housekeeping = openHousekeeping(shared);
  const closeStores = async () => {
    connections.close();
    await vendors.close();
    await poolIndexes.close();
    rateWindow.close();
    housekeeping.close();
    await stores.close();
  };
  const paymentService = await engine
    .start()
    .then(() => openPayments(shared, baseUrl, rateWindow))
    .catch(async (cause) => {
      await closeStores();
      throw cause;
    });
  const work = createWorkInProgress();
  const watches = openWatches(shared, rpc, engine);
  if (environment.sandbox) await watches.executorsRead;

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
    ...(environment.receiptKey && { receipts: createReceiptIssuer(environment.receiptKey, baseUrl) }),
    trustedProxies: config.trustedProxies,
    ...openLimits(shared, rateWindow, paymentService),
    work,
    storeProbe: openStoreProbe(shared),
    storeOrigin: stores.database.origin,
    clockSkew: watches.clockSkew,
    poolIndexes: poolIndexes.states,
    onToolCalled: (tool, status) => instrumentation.record({ kind: 'tool called', tool, status }),
    sources: {
      mode: config.mode,
      engine,
      poolIndexes: poolIndexes.states,
      logSearches: vendors.logSearches,
      gasLeft: () => paymentService.gasLeft(),
      settlement: () => paymentService.settlement(),
      queues: () => paymentService.queues(),
      isDraining: () => work.isDraining,
      readOpenPayments: () => stores.book.open(),
      now,
    },
    ...(environment.sandbox && { sandbox: environment.sandbox }),
    async close() {
      await work.drain();
      watches.close();
      await paymentService.close();
      await closeStores();
    },
  };
}
