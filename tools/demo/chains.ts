/**
 * npm run chains [-- --mainnet-usdc]
 *
 * Starts the sandbox's local chains alone, with blocks at the intervals of the chains themselves, and prints the environment that a service in live mode needs for them. Live
 * mode accepts only USDC that signs under its mainnet name: pass --mainnet-usdc to try it offline. Ends on Ctrl-C.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { liveBlockMs, startSandbox } from '../../sandbox/index.ts';

const { values } = parseArgs({ options: { 'mainnet-usdc': { type: 'boolean', default: false } } });
const mainnetUsdc = values['mainnet-usdc'];

const sandbox = await startSandbox({ mainnetUsdc, blockMs: liveBlockMs });
const walletOf = <Wallet extends { role: string }>(wallets: readonly Wallet[], role: Wallet['role']): Wallet => {
  const wallet = wallets.find((candidate) => candidate.role === role);
  if (!wallet) throw new Error(`The sandbox has no ${role} wallet.`);
  return wallet;
};
const { solana } = sandbox;
if (!solana) throw new Error('The sandbox has no Solana.');
const environment = {
  // The default port of the service.
  PUBLIC_URL: 'http://127.0.0.1:4020',
  ...Object.fromEntries(
    Object.values(sandbox.chains).map(({ name, rpcUrl }) => [`RPC_URL_${name.toUpperCase()}`, rpcUrl]),
  ),
  RPC_URL_SOLANA: solana.rpcUrl,
  PAY_TO_EVM: walletOf(sandbox.wallets, 'payTo').address,
  PAY_TO_SVM: walletOf(solana.wallets, 'payTo').address,
  FACILITATOR_KEY_EVM: walletOf(sandbox.wallets, 'facilitator').privateKey,
  FACILITATOR_KEY_SVM: walletOf(solana.wallets, 'facilitator').secretKey,
};

const demo = walletOf(sandbox.wallets, 'demo');
const lines = [
  `# Local chains, ${mainnetUsdc ? 'USDC under its mainnet name' : 'USDC under the sandbox name: live mode refuses it'}.`,
  `# Demo wallet with 10,000 USDC on each chain: ${demo.address}, key ${demo.privateKey}`,
  ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
];
process.stdout.write(`${lines.join('\n')}\n`);
process.stderr.write('The chains are up until Ctrl-C.\n');

// Open chains alone do not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(alive);
await sandbox.close();
