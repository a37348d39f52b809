import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import { evmPayments, solanaPayments } from './paymentNetworks.ts';
import type { World } from './world.ts';

/** The embedded database, in DATA_DIR. */
export const databaseFile = 'truefill.sqlite';

/** The world as the operator's configuration names it. */
export function openLiveWorld(config: LiveConfig): World {
  const { rpcUrls, payToEvm, facilitatorKeyEvm, solana, dataDir, databaseUrl, vendors } = config;
  return {
    rpcUrls,
    payments: [
      ...evmPayments(rpcUrls, { payTo: payToEvm, facilitatorKey: facilitatorKeyEvm }),
      ...(solana ? [solanaPayments(solana.rpcUrls, solana)] : []),
    ],
    database: databaseUrl === undefined ? { file: join(dataDir, databaseFile) } : { url: databaseUrl },
    vendors,
    close: async () => {},
  };
}
