import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnginePorts } from '../engine/index.ts';
import type { Sandbox, SandboxWallet, SolanaWallet } from '../sandbox/index.ts';
import type { Environment } from './environment.ts';
import { sandboxNotice } from './http/health.ts';
import { evmPayments, solanaNetwork, solanaPayments } from './payments/networkConfigs.ts';
import { sandboxUsdcDomain } from './payments/usdc.ts';
import { defaultLogIndexLimits } from './vendors/index.ts';

/**
 * Venues that only the sandbox uses. The address of QuickSwap v4 on Polygon has a single source, so live mode omits it.
 */
export const sandboxVenues: NonNullable<EnginePorts['extraVenues']> = {
  polygon: [{ family: 'algebra', venue: 'quickswap-v4', factory: '0x134c1dBE4860A9cAaf89002574fFe814772D9904' }],
};

/**
 * Starts the sandbox. The dynamic import keeps sandbox/ out of live mode. Chains and database are new at each start.
 */
export async function openSandboxEnvironment(): Promise<Environment> {
  const { standInFactories, startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox({ testTokens: true });
  const folder = await mkdtemp(join(tmpdir(), 'truefill-sandbox-'));
  const chains = Object.entries(sandbox.chains);
  const rpcUrls = Object.fromEntries(chains.map(([name, { rpcUrl }]) => [name, [rpcUrl]]));
  return {
    rpcUrls,
    payments: paymentsOf(sandbox, rpcUrls),
    receiptKey: `0x${randomBytes(32).toString('hex')}`,
    database: { file: join(folder, 'truefill.sqlite') },
    // No explorer covers the local chain; the log index does.
    vendors: { logs: defaultLogIndexLimits, timeoutMs: 2_000 },
    // v4 pools cannot be listed: the engine finds them by known pool keys.
    extraV4Shapes: Object.fromEntries(
      chains.map(([name, { pools }]) => [
        name,
        pools.flatMap(({ key }) => (key ? [{ fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks }] : [])),
      ]),
    ),
    extraVenues: sandboxVenues,
    standInFactories,
    sandbox: {
      notice: sandboxNotice,
      chains: Object.fromEntries(chains.map(([name, chain]) => [name, { ...chain }])),
      wallets: sandbox.wallets.map(withoutPayToKey),
      ...(sandbox.solana && { solana: toSolanaBody(sandbox.solana) }),
      tokens: chains.flatMap(([, { tokens }]) => tokens),
    },
    async close() {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function paymentsOf({ wallets, solana }: Sandbox, rpcUrls: Environment['rpcUrls']): Environment['payments'] {
  const { privateKey } = walletOf(wallets, 'facilitator');
  const settler = () => ({ facilitatorKey: privateKey });
  const evm = evmPayments(rpcUrls, walletOf(wallets, 'payTo').address, settler, sandboxUsdcDomain);
  if (!solana) return evm;
  const { secretKey } = walletOf(solana.wallets, 'facilitator');
  const { address } = walletOf(solana.wallets, 'payTo');
  return [...evm, solanaPayments([solana.rpcUrl], address, { facilitatorKey: secretKey })];
}

/** The key of payTo is not published, so a payment sent there by mistake cannot be spent. */
function withoutPayToKey({ role, about, address, privateKey }: SandboxWallet) {
  return { role, about, address, ...(role !== 'payTo' && { privateKey }) };
}

function withoutPayToSecret({ role, about, address, secretKey }: SolanaWallet) {
  return { role, about, address, ...(role !== 'payTo' && { secretKey }) };
}

function toSolanaBody({ rpcUrl, usdc, wallets }: NonNullable<Sandbox['solana']>) {
  return { network: solanaNetwork, rpcUrl, usdc, wallets: wallets.map(withoutPayToSecret) };
}

function walletOf<Wallet extends { role: string }>(wallets: readonly Wallet[], role: Wallet['role']): Wallet {
  const wallet = wallets.find((entry) => entry.role === role);
  if (!wallet) throw new TypeError(`The sandbox has no ${role} wallet.`);
  return wallet;
}
