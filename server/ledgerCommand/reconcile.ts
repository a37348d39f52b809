import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config/index.ts';
import { openLiveEnvironment } from '../liveMode.ts';
import { createLogger } from '../observability/createLogger.ts';
import { secretsOfConfig } from '../observability/redaction/secretsOfConfig.ts';
import { createPaymentService } from '../payments/index.ts';
import { offersOf } from '../payments/offersOf.ts';
import { openStores } from '../storage/index.ts';
import { describeEntries } from './describe.ts';

const pauseMs = 250;
const timeoutMs = 60_000;

/**
 * Completes payments that no running process works on, as a start of the service does.
 * @returns a report for the terminal
 * @throws {ConfigError | DatabaseInUseError | DatabaseUnavailableError}
 */
export async function reconcile(config: Config): Promise<string> {
  if (config.mode !== 'live') throw new ConfigError(['the RPC URLs are missing: reconcile reads the chains']);
  const environment = openLiveEnvironment(config);
  const stores = await openStores(environment.database, Date.now);
  try {
    const before = await stores.book.unfinished();
    const paymentService = await createPaymentService({
      networks: environment.payments,
      offers: offersOf(config, ''),
      ledger: stores.ledger,
      contractWalletGasUsdPerHour: config.contractWalletGasUsdPerHour,
      preconfirmedNetworks: config.preconfirmedNetworks,
      now: Date.now,
      logger: createLogger({ level: 'warn', secrets: secretsOfConfig(config) }),
      timings: { closeGraceMs: 0, reconcileMs: 1_000 },
    });
    let open = await stores.book.unfinished();
    for (let waited = 0; open.length > 0 && waited < timeoutMs; waited += pauseMs) {
      await sleep(pauseMs);
      open = await stores.book.unfinished();
    }
    await paymentService.close();
    const found: string[] = [];
    for (const { key } of before) found.push(describeEntries(await stores.book.find(key)));
    return `Unfinished before: ${before.length}, now: ${open.length}.\n${found.join('')}`;
  } finally {
    await stores.close();
  }
}
