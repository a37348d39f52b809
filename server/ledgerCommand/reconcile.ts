import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config/index.ts';
import { openLiveEnvironment } from '../liveMode.ts';
import { createLogger } from '../observability/createLogger.ts';
import { secretsOfConfig } from '../observability/redaction/secretsOfConfig.ts';
import { createPaymentService } from '../payments/index.ts';
import { offersOf } from '../payments/offersOf.ts';
import { openStores } from '../storage/index.ts';
import { describeEntries } from './describe.ts';

const pollMs = 250;
const timeoutMs = 60_000;

/**
 * Completes payments that no running replica owns, like the service does when it starts. Stops after 60 s.
 * @returns a report for the terminal
 * @throws {ConfigError | DatabaseInUseError | DatabaseUnavailableError}
 */
export async function reconcile(config: Config): Promise<string> {
  if (config.mode !== 'live')
    throw new ConfigError([
      'reconcile reads the chains: set TRUEFILL_MODE=live and RPC_URL_BASE (or another RPC_URL_…)',
    ]);
  const environment = openLiveEnvironment(config);
  const stores = await openStores(environment.database, Date.now);
  try {
    const before = await stores.book.unfinished();
    const paymentService = await createPaymentService({
      networks: environment.payments,
      // The offers are not served, so their URLs need no base.
      offers: offersOf(config, ''),
      ledger: stores.ledger,
      contractWalletGasUsdPerHour: config.contractWalletGasUsdPerHour,
      preconfirmedNetworks: config.preconfirmedNetworks,
      now: Date.now,
      logger: createLogger({ level: 'warn', secrets: secretsOfConfig(config) }),
      timings: { closeGraceMs: 0, reconcileMs: 1_000 },
    });
    let open: readonly unknown[];
    try {
      open = await stores.book.unfinished();
      for (let waited = 0; open.length > 0 && waited < timeoutMs; waited += pollMs) {
        await sleep(pollMs);
        open = await stores.book.unfinished();
      }
    } finally {
      await paymentService.close();
    }
    const found: string[] = [];
    for (const { key } of before) found.push(describeEntries(await stores.book.find(key)));
    const nextStep = open.length > 0 ? ' Run reconcile again when the RPCs of their networks respond.' : '';
    return `Unfinished payments: ${before.length} before, ${open.length} now.${nextStep}\n${found.join('')}`;
  } finally {
    await stores.close();
  }
}
