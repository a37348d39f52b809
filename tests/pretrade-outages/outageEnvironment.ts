import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { PretradeAnswer } from '../../engine/index.ts';
import {
  fund,
  type RpcProxy,
  type SandboxChain,
  type SandboxWallet,
  startRpcProxy,
  startSandbox,
  type TestToken,
} from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { startServer } from '../../server/startServer.ts';
import { postJson, usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';
import { explorerOf } from './explorer.ts';
import { marketPagesOf } from './marketSite.ts';
import { startVendorSite, type VendorSite } from './vendorSite.ts';

/** A decoded response. Its only bigint field is a string on the wire; these tests do not read it. */
export type Answer = PretradeAnswer & { disclaimer: string };

export interface Bought {
  status: number;
  headers: Headers;
  text: string;
  /** The decoded body; that of an error has other fields. */
  answer: Answer;
}

/** A server with its own database. */
export interface TestService {
  url: string;
  check(token: string, options?: CheckOptions): Promise<Bought>;
  /** Signs a payment by the demo wallet, or by `payer`. */
  sign(payer?: PrivateKeyAccount): Promise<string>;
  close(): Promise<void>;
}

interface CheckOptions {
  sizeUSD?: string;
  chain?: string;
  path?: string;
  signature?: string;
}

export interface OutageEnvironment {
  chain: SandboxChain;
  testTokens: readonly TestToken[];
  /** The proxy between the server and the chain, for payments and reads. */
  rpc: RpcProxy;
  /** The vendor of holders, age, creator and transfers. */
  explorer: VendorSite;
  market: VendorSite;
  tokenOf(symbol: string): string;
  walletOf(role: SandboxWallet['role']): SandboxWallet;
  /** Balance of payTo, in base units of USDC. */
  received(): Promise<bigint>;
  /** An unused wallet with USDC for some checks. */
  newPayer(): Promise<PrivateKeyAccount>;
  /** Starts a service in live mode on the local chain, with mainnet's USDC contract. */
  open(environment?: Record<string, string>): Promise<TestService>;
  /** Removes all faults of the node and the vendors. */
  clearFaults(): void;
  close(): Promise<void>;
}

/** The price of a check, in base units of USDC. */
export const price = 50_000n;

/** Environment variables of all services, without keys and URLs of the set-up. */
const serviceVariables = {
  PORT: '0',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://truefill.example',
  LOG_LEVEL: 'silent',
  FRESHNESS_MS_BASE: '0',
  FREE_TRIAL_GROUPS: 'none',
  RATE_LIMIT_PER_ADDRESS: '100000',
  RATE_LIMIT_PER_WALLET: '100000',
  BLOCKSCOUT_KEY: 'secret-vendor-key',
  GECKOTERMINAL_URL: 'off',
  LOG_INDEX: 'off',
  // Long, so that on a busy machine only the vendors with a fault fail.
  VENDOR_TIMEOUT_MS: '6000',
};

/** Starts one local Base with the test tokens, a proxy before its RPC, and fake vendors. */
export async function openOutageEnvironment(): Promise<OutageEnvironment> {
  const sandbox = await startSandbox({ chains: ['base'], testTokens: true, mainnetUsdc: true });
  const { base: chain } = sandbox.chains;
  if (!chain || !sandbox.testTokens) throw new Error('No Base with test tokens.');
  const { tokens: testTokens } = sandbox.testTokens;
  const rpc = await startRpcProxy(chain.rpcUrl);
  const explorer = await startVendorSite(explorerOf(chain.rpcUrl));
  const market = await startVendorSite(marketPagesOf(chain.pools));
  const services = new Set<TestService>();

  const walletOf = (role: SandboxWallet['role']) => findWallet(sandbox.wallets, role);
  const demo = privateKeyToAccount(walletOf('demo').privateKey);
  const variables = {
    ...serviceVariables,
    RPC_URL_BASE: `${rpc.url}/v2/secret-api-key`,
    PAY_TO_EVM: walletOf('payTo').address,
    FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
    BLOCKSCOUT_URL: explorer.url,
    DEXSCREENER_URL: market.url,
  };

  async function open(more: Record<string, string> = {}): Promise<TestService> {
    const folder = await mkdtemp(join(tmpdir(), 'truefill-outage-'));
    const server = await startServer(readConfig({ ...variables, DATA_DIR: folder, ...more }));
    const service: TestService = {
      url: server.url,
      check: (token, options) => buy(server.url, token, demo, options),
      sign: (payer = demo) => sign(server.url, payer),
      async close() {
        services.delete(service);
        await server.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
    services.add(service);
    return service;
  }

  return {
    chain,
    testTokens,
    rpc,
    explorer,
    market,
    walletOf,
    tokenOf(symbol) {
      const token = chain.tokens.find((entry) => entry.symbol === symbol);
      if (!token) throw new Error(`No ${symbol}.`);
      return token.address;
    },
    received: () => usdcOf(chain, walletOf('payTo').address),
    async newPayer() {
      const account = privateKeyToAccount(generatePrivateKey());
      await fund(chain, chain.usdc, account.address, 10n * price);
      return account;
    },
    open,
    clearFaults() {
      rpc.fault = () => undefined;
      rpc.requests.length = 0;
      for (const site of [explorer, market]) {
        site.fault = () => undefined;
        site.falsify = undefined;
        site.gate = async () => {};
        site.requests.length = 0;
      }
    },
    async close() {
      for (const service of services) await service.close();
      await Promise.all([rpc.close(), explorer.close(), market.close()]);
      await sandbox.close();
    },
  };
}

async function sign(url: string, account: PrivateKeyAccount): Promise<string> {
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(account));
  const unpaid = await postJson(`${url}/v1/pretrade/check`, {});
  const offer = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  return encodePaymentSignatureHeader(await payer.createPaymentPayload(offer));
}

/** Buys a check, with a payment of `account` if there is no signature. */
async function buy(
  url: string,
  token: string,
  account: PrivateKeyAccount,
  { path = '/v1/pretrade/check', signature, ...rest }: CheckOptions = {},
): Promise<Bought> {
  const headers = { 'payment-signature': signature ?? (await sign(url, account)) };
  const response = await postJson(url + path, { token, ...rest }, headers);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, answer: JSON.parse(text) as Answer };
}
