import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import { evmPayments, solanaPayments } from './paymentNetworks.ts';
import type { DatabasePlace } from './stores/index.ts';
import type { World } from './world.ts';

/** The database that replicas share when there is one, else a file in DATA_DIR. */
export function databasePlace(url: string | undefined, dataDir: string): DatabasePlace {
  return url ? { url } : { file: join(dataDir, 'truefill.sqlite') };
}

/** The world as the operator's configuration names it. */
export function openLiveWorld(config: LiveConfig): World {
  const { rpcUrls, payToEvm, facilitatorKeyEvm, solana, dataDir, databaseUrl, vendors } = config;
  return {
    rpcUrls,
    payments: [
      ...evmPayments(rpcUrls, { payTo: payToEvm, facilitatorKey: facilitatorKeyEvm }),
      ...(solana ? [solanaPayments(solana.rpcUrls, solana)] : []),
    ],
    database: databasePlace(databaseUrl, dataDir),
    vendors,
    close: async () => {},
  };
}
