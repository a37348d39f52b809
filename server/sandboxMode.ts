import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnginePorts } from '../engine/index.ts';
import type { Sandbox, SandboxWallet } from '../sandbox/index.ts';
import { sandboxNotice } from './surfaces/health.ts';
import { defaultLogIndexLimits } from './vendors/index.ts';
import type { World } from './world.ts';

/**
 * Venues of the sandbox at addresses that production data leaves out: QuickSwap v4 on Polygon, which only one origin
 * names.
 */
export const sandboxVenues: NonNullable<EnginePorts['extraVenues']> = {
  polygon: [{ family: 'algebra', venue: 'quickswap-v4', factory: '0x134c1dBE4860A9cAaf89002574fFe814772D9904' }],
};

/**
 * The local world. The only way from production to sandbox/, and a dynamic one: in live mode nothing of it is
 * loaded. Its chains begin anew at every start, so its ledger does too.
 */
export async function openSandboxWorld(): Promise<World> {
  const { startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox({ zoo: true });
  const folder = await mkdtemp(join(tmpdir(), 'truefill-sandbox-'));
  const chains = Object.entries(sandbox.chains);
  return {
    rpcUrls: Object.fromEntries(chains.map(([name, { rpcUrl }]) => [name, [rpcUrl]])),
    payTo: walletOf(sandbox, 'payTo').address,
    facilitatorKey: walletOf(sandbox, 'facilitator').privateKey,
    ledgerFile: join(folder, 'ledger.sqlite'),
    factsFile: join(folder, 'facts.sqlite'),
    // No explorer knows the local chain: its own logs do.
    vendors: { logs: defaultLogIndexLimits, timeoutMs: 2_000 },
    // Nobody could list the hooks of the real chains either: a pool is looked for by the keys that are known.
    extraV4Shapes: Object.fromEntries(
      chains.map(([name, { pools }]) => [
        name,
        pools.flatMap(({ key }) => (key ? [{ fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks }] : [])),
      ]),
    ),
    extraVenues: sandboxVenues,
    sandbox: {
      notice: sandboxNotice,
      chains: Object.fromEntries(chains.map(([name, chain]) => [name, { ...chain }])),
      wallets: sandbox.wallets,
      tokens: chains.flatMap(([, { tokens }]) => tokens),
    },
    async close() {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function walletOf({ wallets }: Sandbox, role: SandboxWallet['role']): SandboxWallet {
  const wallet = wallets.find((entry) => entry.role === role);
  if (!wallet) throw new TypeError(`The sandbox has no ${role} wallet.`);
  return wallet;
}
