import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import type { RemoteFacilitator, Settler } from './payment/index.ts';
import { evmPayments, solanaPayments } from './paymentNetworks.ts';
import type { World } from './world.ts';

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
  const { rpcUrls, payToEvm, facilitatorKeyEvm, solana, remotes, dataDir, vendors } = config;
  return {
    rpcUrls,
    payments: [
      ...evmPayments(rpcUrls, payToEvm, (chain) => toSettler(chain, remotes[chain], facilitatorKeyEvm)),
      ...(solana
        ? [solanaPayments(solana.rpcUrls, solana.payTo, toSettler('solana', remotes.solana, solana.facilitatorKey))]
        : []),
    ],
    ledgerFile: join(dataDir, 'ledger.sqlite'),
    factsFile: join(dataDir, 'facts.sqlite'),
    vendors,
    close: async () => {},
  };
}
