import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from 'viem';
import { readConfig } from '../../../server/config/index.ts';
import { type RunningServer, startServer } from '../../../server/startServer.ts';
import { findWallet } from '../../support/findWallet.ts';
import { liveVariables } from '../profiles/runProfile.ts';
import type { RecordedBuild } from './recordBuild.ts';

export interface LiveService {
  url: string;
  payTo: Address;
  /** Stops the service and starts it again on the same ledger. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The service in live mode, with one node and a ledger of its own. */
export async function startLiveService(build: RecordedBuild, rpcUrl: string): Promise<LiveService> {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-live-'));
  const payTo = findWallet(build.wallets, 'payTo').address;
  const config = readConfig({
    RPC_URL_BASE: rpcUrl,
    PAY_TO_EVM: payTo,
    FACILITATOR_KEY_EVM: findWallet(build.wallets, 'facilitator').privateKey,
    DATA_DIR: folder,
    ...liveVariables,
  });
  let server: RunningServer = await startServer(config);
  return {
    get url() {
      return server.url;
    },
    payTo,
    async restart() {
      await server.close();
      server = await startServer(config);
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
