import { type ChainName, createEngine, type RpcEndpoint } from '../engine/index.ts';
import { catalogue } from '../router/index.ts';
import type { AppDeps } from './app.ts';
import { bazaarExtension } from './bazaarExtension.ts';
import type { Config } from './config/index.ts';
import { createLogger, secretsOfUrl } from './createLogger.ts';
import { createPayerLimit } from './limitPayer.ts';
import { createCashier, createSqliteLedger } from './payment/index.ts';
import { secretsOfPayments } from './paymentNetworks.ts';
import { createHttpRpcEndpoint } from './rpc/index.ts';
import { openFacts } from './stores/index.ts';
import { createVendors, secretsOfVendors } from './vendors/index.ts';
import { createWorkInProgress } from './workInProgress.ts';
import type { World } from './world.ts';

export interface Deps extends AppDeps {
  /** Ends what was built here, after what is under way. */
  close(): Promise<void>;
}

/**
 * The one place where things are built and handed to each other.
 * @throws {WrongChainError | PaymentNetworkMismatchError | LedgerInUseError} the configuration names the wrong things
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
    ],
  });

  const rpc: Partial<Record<ChainName, readonly RpcEndpoint[]>> = Object.fromEntries(
    chains.map(([chain, urls]) => [
      chain,
      urls.map((url, at) => createHttpRpcEndpoint({ url, label: `${chain}-${at + 1}`, timeoutMs: config.deadlineMs })),
    ]),
  );
  const facts = openFacts(world.factsFile, 'base');
  const vendors = createVendors({
    config: world.vendors,
    endpoints: rpc.base ?? [],
    logIndexes: facts.logIndexes,
    now,
    onFault: (notice) => logger.warn(notice, 'vendor failed'),
  });
  const engine = createEngine({
    rpc,
    now,
    freshnessMs: config.freshnessMs,
    deadlineMs: config.deadlineMs,
    // Time for a second vendor when the first one is silent.
    pretrade: { vendors, facts: facts.store, vendorDeadlineMs: 2 * world.vendors.timeoutMs },
    ...(world.extraV4Shapes && { extraV4Shapes: world.extraV4Shapes }),
    ...(world.extraVenues && { extraVenues: world.extraVenues }),
  });

  const closeFacts = async () => {
    await vendors.close();
    facts.close();
  };
  await engine.start().catch(async (cause) => {
    await closeFacts();
    throw cause;
  });
  const ledger = createSqliteLedger(world.ledgerFile, now);
  const cashier = await createCashier({
    networks: world.payments,
    offers: catalogue.map((item) => ({
      paid: item.name,
      priceUsd: item.priceUsd,
      ...(config.freeTrialGroups.includes(item.trialGroup) && { trialGroup: item.trialGroup }),
      resource: { url: baseUrl + item.path, description: item.summary, mimeType: 'application/json' },
      extensions: bazaarExtension(item),
    })),
    ledger,
    now,
    logger,
    limitPayer: createPayerLimit(config.requestsPerMinutePerWallet, now),
  }).catch(async (cause) => {
    await ledger.close();
    await closeFacts();
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
    work,
    ...(world.sandbox && { sandbox: world.sandbox }),
    async close() {
      await work.settled();
      await cashier.close();
      await ledger.close();
      await closeFacts();
    },
  };
}
