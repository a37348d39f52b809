import { type ChainName, createEngine } from '../engine/index.ts';
import { catalogue } from '../router/index.ts';
import type { AppDeps } from './app.ts';
import type { Config } from './config/index.ts';
import { createLogger, secretsOfUrl } from './createLogger.ts';
import { createPayerLimit } from './limitPayer.ts';
import { createCashier, createSqliteLedger } from './payment/index.ts';
import { secretsOfPayments } from './paymentNetworks.ts';
import { createHttpRpcEndpoint } from './rpc/index.ts';
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
    secrets: [...chains.flatMap(([, urls]) => urls.flatMap(secretsOfUrl)), ...secretsOfPayments(world.payments)],
  });

  const engine = createEngine({
    rpc: Object.fromEntries(
      chains.map(([chain, urls]) => [
        chain,
        urls.map((url, at) =>
          createHttpRpcEndpoint({ url, label: `${chain}-${at + 1}`, timeoutMs: config.deadlineMs }),
        ),
      ]),
    ),
    now,
    freshnessMs: config.freshnessMs,
    deadlineMs: config.deadlineMs,
    ...(world.extraV4Shapes && { extraV4Shapes: world.extraV4Shapes }),
  });

  await engine.start();
  const ledger = createSqliteLedger(world.ledgerFile, now);
  const cashier = await createCashier({
    networks: world.payments,
    offers: catalogue.map((item) => ({
      paid: item.name,
      priceUsd: item.priceUsd,
      resource: { url: baseUrl + item.path, description: item.summary, mimeType: 'application/json' },
    })),
    ledger,
    now,
    logger,
    limitPayer: createPayerLimit(config.requestsPerMinutePerWallet, now),
  }).catch(async (cause) => {
    await ledger.close();
    throw cause;
  });
  const work = createWorkInProgress();

  return {
    engine,
    cashier,
    logger,
    mode: config.mode,
    baseUrl,
    paymentNetworks: world.payments.map(({ network }) => network),
    trustedProxies: config.trustedProxies,
    requestsPerMinutePerAddress: config.requestsPerMinutePerAddress,
    work,
    ...(world.sandbox && { sandbox: world.sandbox }),
    async close() {
      await work.settled();
      await cashier.close();
      await ledger.close();
    },
  };
}
