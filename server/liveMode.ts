import { join } from 'node:path';
import type { LiveConfig } from './config/index.ts';
import type { World } from './world.ts';

/** The world as the operator's configuration names it. */
export function openLiveWorld({ rpcUrls, payToEvm, facilitatorKeyEvm, dataDir, vendors }: LiveConfig): World {
  return {
    rpcUrls,
    payTo: payToEvm,
    facilitatorKey: facilitatorKeyEvm,
    ledgerFile: join(dataDir, 'ledger.sqlite'),
    factsFile: join(dataDir, 'facts.sqlite'),
    vendors,
    close: async () => {},
  };
}
