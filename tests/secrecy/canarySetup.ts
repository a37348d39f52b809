import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { type SandboxChain, startPostgres, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { newDatabase } from '../storage/newDatabase.ts';
import { findWallet } from '../support/findWallet.ts';
import { startEchoSite } from './echoSite.ts';
import { startProcess } from './startProcess.ts';

/** A unique value for each secret of the configuration. */
export const canaries = {
  rpcPath: 'canary0rpc0path0key',
  rpcQuery: 'canary-rpc-query',
  rpcUser: 'canary-rpc-user',
  rpcPassword: 'canary-rpc-password',
  rpcHost: 'canary-rpc-host.invalid',
  database: 'canary-database-password',
  facilitatorPath: 'canary0facilitator0path',
  facilitatorHeader: 'canary-facilitator-header',
  facilitatorBearer: 'canary-facilitator-bearer',
  blockscoutPath: 'canary0blockscout0path',
  blockscoutKey: 'canary-blockscout-key',
  etherscanKey: 'canary-etherscan-key',
  tracesHeader: 'canary-traces-header',
  tracesPath: 'canary0traces0path',
  receiptKey: `${'ca0a51'.repeat(10)}beef`,
} as const;

type Wallet = 'demo' | 'stranger';

interface RemoteServices {
  /** Base URLs of nodes, vendors, facilitator and trace collector, and the database URL. */
  base: string;
  polygon: string;
  vendors: string;
  facilitator: string;
  collector: string;
  database: string;
  payTo: string;
  facilitatorKey: string;
  dataDir: string;
}

/** Environment variables with a canary in each secret. */
function environmentOf(services: RemoteServices): Record<string, string> {
  const { base, polygon, vendors, facilitator, collector, database, payTo, facilitatorKey, dataDir } = services;
  const keyed = (url: string) => `${url}/v2/${canaries.rpcPath}?apikey=${canaries.rpcQuery}`;
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://truefill.example',
    LOG_LEVEL: 'debug',
    RPC_URL_BASE: [
      keyed(base),
      `http://${canaries.rpcUser}:${canaries.rpcPassword}@127.0.0.1:9/`,
      `http://${canaries.rpcHost}/`,
    ].join(','),
    RPC_URL_POLYGON: keyed(polygon),
    PAY_TO_EVM: payTo,
    FACILITATOR_KEY_EVM: facilitatorKey,
    FACILITATOR_URL_POLYGON: `${facilitator}/x402/${canaries.facilitatorPath}`,
    FACILITATOR_HEADERS_POLYGON: JSON.stringify({
      'X-Api-Key': canaries.facilitatorHeader,
      Authorization: `Bearer ${canaries.facilitatorBearer}`,
    }),
    RECEIPT_SIGNING_KEY: `0x${canaries.receiptKey}`,
    DATABASE_URL: database,
    BLOCKSCOUT_URL: `${vendors}/${canaries.blockscoutPath}`,
    BLOCKSCOUT_KEY: canaries.blockscoutKey,
    ETHERSCAN_URL: vendors,
    ETHERSCAN_KEY: canaries.etherscanKey,
    DEXSCREENER_URL: vendors,
    GECKOTERMINAL_URL: vendors,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/${canaries.tracesPath}`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${canaries.tracesHeader}`,
    METRICS_PORT: '0',
    FRESHNESS_MS_BASE: '0',
    FRESHNESS_MS_POLYGON: '0',
    QUOTE_DEADLINE_MS: '6000',
    RATE_LIMIT_PER_ADDRESS: '100000',
    DATA_DIR: dataDir,
  };
}

/** Signs a payment for a PAYMENT-REQUIRED header. Returns the value of PAYMENT-SIGNATURE and the signature in it. */
async function signOffer(required: string, network: `eip155:${number}`, privateKey: Hex) {
  const signer = new ExactEvmScheme(privateKeyToAccount(privateKey));
  const offer = decodePaymentRequiredHeader(required);
  const payload = await new x402Client().register(network, signer).createPaymentPayload(offer);
  const { signature } = payload.payload as { signature: string };
  return { header: encodePaymentSignatureHeader(payload), signature };
}

/** Sends requests to the service, or to a full URL, and records status, headers and body of each response. */
function createRecorder(url: string) {
  let responses = '';
  async function request(path: string, init: RequestInit = {}) {
    const response = await fetch(path.startsWith('http') ? path : url + path, init);
    const text = await response.text();
    responses += `${response.status} ${JSON.stringify([...response.headers])} ${text}\n`;
    return { status: response.status, headers: response.headers, text };
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { request, post, responses: () => responses };
}

/** A network whose node failed is offered again a few seconds after the node responds. */
async function awaitOffer(
  post: ReturnType<typeof createRecorder>['post'],
  path: string,
  network: string,
): Promise<string> {
  let required = '';
  const offered = async () => {
    required = (await post(path, {})).headers.get('payment-required') ?? '';
    return required && decodePaymentRequiredHeader(required).accepts.map((terms) => terms.network);
  };
  await expect.poll(offered, { interval: 300 }).toContain(network);
  return required;
}

/** Starts a live service in a separate process with remote services that echo requests. Records all output. */
export async function openCanarySetup() {
  const [sandbox, postgres] = await Promise.all([
    startSandbox({ chains: ['base', 'polygon'], mainnetUsdc: true }),
    startPostgres(),
  ]);
  const { base, polygon } = sandbox.chains as { base: SandboxChain; polygon: SandboxChain };
  const proxies = { base: await startRpcProxy(base.rpcUrl), polygon: await startRpcProxy(polygon.rpcUrl) };
  const sites = await Promise.all([startEchoSite(), startEchoSite(), startEchoSite(), startEchoSite()]);
  const [vendors, facilitator, collector, trap] = sites;
  const folder = await mkdtemp(join(tmpdir(), 'truefill-canaries-'));
  const walletOf = (role: string) => findWallet(sandbox.wallets, role);

  const database = new URL(await newDatabase(postgres));
  database.password = canaries.database;
  const environment = environmentOf({
    base: proxies.base.url,
    polygon: proxies.polygon.url,
    vendors: vendors.url,
    facilitator: facilitator.url,
    collector: collector.url,
    database: database.href,
    payTo: walletOf('payTo').address,
    facilitatorKey: walletOf('facilitator').privateKey,
    dataDir: folder,
  });
  const processes: ReturnType<typeof startProcess>[] = [];
  const run = (script: string, args: readonly string[] = [], variables: Record<string, string> = {}) => {
    const started = startProcess(script, args, { ...environment, ...variables });
    processes.push(started);
    return started;
  };

  const service = run('tools/start/start.mjs');
  const url = await service.waitFor(/answers on (http:\S+)/);
  const metricsUrl = await service.waitFor(/Metrics: (http:\S+)/);

  const { request, post, responses } = createRecorder(url);
  const signatures: string[] = [];
  async function sign(path: string, network: `eip155:${number}`, role: Wallet = 'demo') {
    const required = await awaitOffer(post, path, network);
    const { header, signature } = await signOffer(required, network, walletOf(role).privateKey);
    signatures.push(header, signature);
    return { 'payment-signature': header };
  }

  return {
    base,
    polygon,
    proxies,
    vendors,
    facilitator,
    collector,
    /** A site that must receive no request. Only requests and responses contain its URL. */
    trap,
    postgres,
    service,
    run,
    request,
    post,
    sign,
    metricsUrl,
    /** Values that must not appear in the output: the canaries, the facilitator key and the clients' signatures. */
    get secrets(): string[] {
      return [...Object.values(canaries), walletOf('facilitator').privateKey.slice(2), ...signatures];
    },
    /** All responses and the output of all processes. */
    get output(): string {
      return responses() + processes.map(({ output }) => output).join('\n');
    },
    async close() {
      await Promise.all(processes.map((started) => started.stop()));
      await Promise.all([...sites, ...Object.values(proxies)].map((site) => site.close()));
      await Promise.all([sandbox.close(), postgres.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type CanarySetup = Awaited<ReturnType<typeof openCanarySetup>>;
