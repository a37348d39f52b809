import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import { evmPayments, solanaPayments } from './paymentNetworks.ts';
import type { World } from './world.ts';

/** The world as the operator's configuration names it. */
export function openLiveWorld(config: LiveConfig): World {
  const { rpcUrls, payToEvm, facilitatorKeyEvm, solana, dataDir, vendors } = config;
  return {
    rpcUrls,
    payments: [
      ...evmPayments(rpcUrls, { payTo: payToEvm, facilitatorKey: facilitatorKeyEvm }),
      ...(solana ? [solanaPayments(solana.rpcUrls, solana)] : []),
    ],
    ledgerFile: join(dataDir, 'ledger.sqlite'),
    factsFile: join(dataDir, 'facts.sqlite'),
    vendors,
    close: async () => {},
  };
}
