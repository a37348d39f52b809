import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import type { RemoteFacilitator, Settler } from './payments/index.ts';
import { evmPayments, solanaPayments } from './payments/paymentNetworks.ts';
import type { DatabasePlace } from './storage/index.ts';
import type { World } from './world.ts';

/** The database that replicas share when there is one, else a file in DATA_DIR. */
export function databasePlace(url: string | undefined, dataDir: string): DatabasePlace {
  return url ? { url } : { file: join(dataDir, 'truefill.sqlite') };
}

/** The configuration has been read as a whole, so one of the two is there. */
function toSettler<Key>(
  place: string,
  remote: RemoteFacilitator | undefined,
  facilitatorKey: Key | undefined,
): Settler<Key> {
  if (remote) return { remote };
  if (facilitatorKey === undefined) throw new TypeError(`Nobody settles on ${place}.`);
  return { facilitatorKey };
}

/** The world as the operator's configuration names it. */
export function openLiveWorld(config: LiveConfig): World {
  const { rpcUrls, payToEvm, facilitatorKeyEvm, solana, remotes, dataDir, databaseUrl, vendors } = config;
  return {
    rpcUrls,
    payments: [
      ...evmPayments(rpcUrls, payToEvm, (chain) => toSettler(chain, remotes[chain], facilitatorKeyEvm)),
      ...(solana
        ? [solanaPayments(solana.rpcUrls, solana.payTo, toSettler('solana', remotes.solana, solana.facilitatorKey))]
        : []),
    ],
    database: databasePlace(databaseUrl, dataDir),
    vendors,
    ...(config.receiptKey && { receiptKey: config.receiptKey }),
    close: async () => {},
  };
}
