import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import type { Environment } from './environment.ts';
import type { RemoteFacilitator, Settler } from './payments/index.ts';
import { evmPayments, solanaPayments } from './payments/networkConfigs.ts';
import type { DatabaseLocation } from './storage/index.ts';

/** Location of the database: DATABASE_URL, which replicas share, or else a file in DATA_DIR. */
export function databaseLocation(url: string | undefined, dataDir: string): DatabaseLocation {
  return url ? { url } : { file: join(dataDir, 'truefill.sqlite') };
}

/** Prefers a remote facilitator to a key. @throws {TypeError} for neither, which `readConfig` rejects */
function toSettler<Key>(
  network: string,
  remote: RemoteFacilitator | undefined,
  facilitatorKey: Key | undefined,
): Settler<Key> {
  if (remote) return { remote };
  if (facilitatorKey === undefined)
    throw new TypeError(`Neither a facilitator key nor a remote facilitator is configured for ${network}.`);
  return { facilitatorKey };
}

/** The environment of live mode, from the operator's configuration. */
export function openLiveEnvironment(config: LiveConfig): Environment {
  const { rpcUrls, rpcBudgets, payToEvm, facilitatorKeyEvm, solana, remotes, dataDir, databaseUrl, vendors } = config;
  return {
    rpcUrls,
    rpcBudgets,
    payments: [
      ...evmPayments(rpcUrls, payToEvm, (chain) => toSettler(chain, remotes[chain], facilitatorKeyEvm)),
      ...(solana
        ? [solanaPayments(solana.rpcUrls, solana.payTo, toSettler('solana', remotes.solana, solana.facilitatorKey))]
        : []),
    ],
    database: databaseLocation(databaseUrl, dataDir),
    vendors,
    ...(config.receiptKey && { receiptKey: config.receiptKey }),
    close: async () => {},
  };
}
