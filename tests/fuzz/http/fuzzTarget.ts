import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type SandboxChain, startRpcProxy, startSandbox } from '../../../sandbox/index.ts';
import { openBook } from '../../../server/storage/index.ts';
import { startReplica } from '../../../tools/cluster/startReplica.ts';
import { usdcOf } from '../../support/buyer.ts';
import { findWallet } from '../../support/findWallet.ts';

/** Secrets that no response and no log line may contain. */
const canaries = { rpcKey: 'canary-in-the-rpc-url', vendorKey: 'canary-of-the-vendor' };

/** Starts the service in live mode as its own process with one local chain, and collects its log. */
export async function startFuzzTarget() {
  const sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true });
  const chain = sandbox.chains.base as SandboxChain;
  const proxy = await startRpcProxy(chain.rpcUrl);
  const folder = await mkdtemp(join(tmpdir(), 'truefill-fuzz-'));
  const walletOf = (role: string) => findWallet(sandbox.wallets, role);
  const facilitatorKey = walletOf('facilitator').privateKey;
  let log = '';
  const replica = await startReplica(
    {
      RPC_URL_BASE: `${proxy.url}/v2/${canaries.rpcKey}`,
      PAY_TO_EVM: walletOf('payTo').address,
      FACILITATOR_KEY_EVM: facilitatorKey,
      DATA_DIR: folder,
      PUBLIC_URL: 'https://truefill.example',
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_ADDRESS: '1000000',
      RATE_LIMIT_PER_WALLET: '1000000',
      BLOCKSCOUT_URL: 'off',
      DEXSCREENER_URL: 'off',
      GECKOTERMINAL_URL: 'off',
      ETHERSCAN_URL: proxy.url,
      ETHERSCAN_KEY: canaries.vendorKey,
    },
    (text) => {
      log += text;
    },
  );

  async function sign(account: PrivateKeyAccount, path: string): Promise<PaymentPayload> {
    const unpaid = await fetch(replica.url + path, { method: 'POST' });
    const offer = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
    return new x402Client().register('eip155:8453', new ExactEvmScheme(account)).createPaymentPayload(offer);
  }

  return {
    url: replica.url,
    port: Number(new URL(replica.url).port),
    chain,
    log: () => log,
    /** Texts that no response and no log line may contain, by name. */
    secrets: { ...canaries, facilitatorKey: facilitatorKey.slice(2), rpc: new URL(proxy.url).host, folder },
    sign,
    /** Signs with a new wallet without USDC: the payment passes every check except the balance. */
    signUnfunded: (path: string) => sign(privateKeyToAccount(generatePrivateKey()), path),
    signFunded: (path: string) => sign(privateKeyToAccount(walletOf('demo').privateKey), path),
    /** Balance of payTo in raw units of USDC. */
    payToBalance: () => usdcOf(chain, walletOf('payTo').address),
    async ledgerCounts() {
      const { book, close } = await openBook({ file: join(folder, 'truefill.sqlite') });
      const counts = await book.counts();
      await close();
      return counts;
    },
    async close() {
      await replica.stop();
      await proxy.close();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type FuzzTarget = Awaited<ReturnType<typeof startFuzzTarget>>;
