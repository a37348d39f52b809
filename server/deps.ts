import { type ChainName, createEngine, poolEventsOf, type RpcEndpoint } from '../engine/index.ts';
import { serviceVersion } from '../router/index.ts';
import type { AppDeps } from './app.ts';
import type { Config } from './config/index.ts';
import { createLogger, secretsOfUrl } from './createLogger.ts';
import { createPayerLimit } from './limits/limitPayer.ts';
import { createRateWindow } from './limits/rateWindow.ts';
import { offersOf } from './offersOf.ts';
import { createCashier } from './payment/index.ts';
import { secretsOfPayments } from './paymentNetworks.ts';
import { createHttpRpcEndpoint } from './rpc/index.ts';
import { createAnswerShare, keepHouse, openStores } from './stores/index.ts';
import { createVendors, secretsOfVendors } from './vendors/index.ts';
import { createWorkInProgress } from './workInProgress.ts';
import type { World } from './world.ts';

const dayMs = 86_400_000;

export interface Deps extends AppDeps {
  /** Ends what was built here, after what is under way. */
  close(): Promise<void>;
}

/**
 * The one place where things are built and handed to each other.
 * @throws {WrongChainError | PaymentNetworkMismatchError | DatabaseInUseError} the configuration names the wrong things
 */
export async function buildDeps(config: Config, world: World, baseUrl: string): Promise<Deps> {
  const now = Date.now;
  const chains = Object.entries(world.rpcUrls) as [ChainName, readonly string[]][];
  const logger = createLogger({
    level: config.logLevel,
    secrets: [
      ...chains.flatMap(([, urls]) => urls.flatMap(secretsOfUrl)),
      ...secretsOfVendors(world.vendors),
      ...secretsOfPayments(world.payments),
      ...('url' in world.database ? secretsOfUrl(world.database.url) : []),
    ],
  });

  const rpc: Partial<Record<ChainName, readonly RpcEndpoint[]>> = Object.fromEntries(
    chains.map(([chain, urls]) => [
      chain,
      urls.map((url, at) => createHttpRpcEndpoint({ url, label: `${chain}-${at + 1}`, timeoutMs: config.deadlineMs })),
    ]),
  );
  const stores = await openStores(world.database, now);
  const facts = stores.facts('base');
  const vendors = createVendors({
    config: world.vendors,
    endpoints: rpc.base ?? [],
    logIndexes: facts.logIndexes,
    poolIndex: { store: facts.poolIndex, events: poolEventsOf('base', world) },
    now,
    onFault: (notice) => logger.warn(notice, 'vendor failed'),
  });
  const engine = createEngine({
    rpc,
    now,
    freshnessMs: config.freshnessMs,
    deadlineMs: config.deadlineMs,
    ...(stores.database.isShared && {
      share: createAnswerShare(stores.answers, serviceVersion, (err) =>
        logger.warn({ err }, 'Answers are not shared now'),
      ),
    }),
    // Time for a second vendor when the first one is silent.
    pretrade: { vendors, facts: facts.store, pools: vendors.pools, vendorDeadlineMs: 2 * world.vendors.timeoutMs },
    ...(world.extraV4Shapes && { extraV4Shapes: world.extraV4Shapes }),
    ...(world.extraVenues && { extraVenues: world.extraVenues }),
  });

  const rateWindow = createRateWindow({
    now,
    ...(stores.database.isShared && { shared: stores.rates }),
    onFault: (err) => logger.warn({ err }, 'Request counts could not be exchanged'),
  });
  const housekeeping = keepHouse(stores, {
    now,
    answersMs: config.answerRetentionDays * dayMs,
    onFault: (err) => logger.warn({ err }, 'Old entries could not be removed now'),
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
  const cashier = await createCashier({
    networks: world.payments,
    offers: offersOf(config, baseUrl),
    ledger: stores.ledger,
    ...(stores.sharedKeys && { sharedKeys: stores.sharedKeys }),
    now,
    logger,
    limitPayer: createPayerLimit(config.requestsPerMinutePerWallet, rateWindow, now),
  }).catch(async (cause) => {
    await closeStores();
    throw cause;
  });
  const work = createWorkInProgress();

  return {
    engine,
    pretrade: engine,
    cashier,
    logger,
    mode: config.mode,
    baseUrl,
    paymentNetworks: world.payments.map(({ network }) => network),
    freeTrialGroups: config.freeTrialGroups,
    ...(config.contactEmail !== undefined && { contactEmail: config.contactEmail }),
    startedAt: now(),
    trustedProxies: config.trustedProxies,
    requestsPerMinutePerAddress: config.requestsPerMinutePerAddress,
    rateWindow,
    work,
    ...(world.sandbox && { sandbox: world.sandbox }),
    async close() {
      await work.drain();
      await cashier.close();
      await closeStores();
    },
  };
}
