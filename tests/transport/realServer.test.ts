import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type RpcFault, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { postJson, signOffer, usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';
import { always, openTwoNodes, secret, type TwoNodes } from './twoNodes.ts';

// Payments use Base, whose RPC works. Quotes use Polygon, whose two RPCs fail.

let sandbox: Sandbox;
let base: SandboxChain;
let polygon: SandboxChain;
let nodes: TwoNodes;
let server: RunningServer;
let dataDir: string;
/** Added to the clock of the server and the buyer, in milliseconds. */
let clockOffsetMs = 0;

beforeAll(async () => {
  const realNow = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + clockOffsetMs);
  sandbox = await startSandbox({ chains: ['base', 'polygon'], mainnetUsdc: true });
  base = sandbox.chains.base as SandboxChain;
  polygon = sandbox.chains.polygon as SandboxChain;
  nodes = await openTwoNodes(polygon);
  dataDir = await mkdtemp(join(tmpdir(), 'truefill-transport-'));
  server = await startServer(
    readConfig({
      RPC_URL_BASE: base.rpcUrl,
      RPC_URL_POLYGON: nodes.proxies.map(({ url }) => `${url}/v2/${secret}`).join(),
      PAY_TO_EVM: walletOf('payTo').address,
      FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
      DATA_DIR: dataDir,
      PORT: '0',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://truefill.example',
      LOG_LEVEL: 'silent',
      POOL_HINTS: 'off',
      QUOTE_DEADLINE_MS: '6000',
      FRESHNESS_MS_POLYGON: '600000',
    }),
  );
});
afterEach(async () => {
  nodes.clearFaults();
  // The next test needs a recovered chain.
  await expect.poll(() => health(), { interval: 200 }).not.toBe('down');
});
afterAll(async () => {
  await server?.close();
  await nodes?.close();
  vi.restoreAllMocks();
  await sandbox?.close();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

const walletOf = (role: string) => findWallet(sandbox.wallets, role);

async function health(): Promise<string> {
  const body = (await (await fetch(`${server.url}/health`)).json()) as { chains: { polygon: { status: string } } };
  return body.chains.polygon.status;
}

const balanceOf = (holder: Address) => usdcOf(base, holder);

const query = (sizeIn: string, chain = 'polygon') => ({
  chain,
  tokenIn: polygon.wrappedNative,
  tokenOut: polygon.usdc,
  sizeIn,
});

const post = (body: unknown, headers?: Record<string, string>) => postJson(`${server.url}/v1/quote`, body, headers);

/** A payment on Base. */
const sign = () => signOffer(`${server.url}/v1/quote`, walletOf('demo'));

test('equivalent requests in different spellings get the same bytes', async () => {
  const lower = (address: string) => address.toLowerCase();
  const spelled = [
    query('3.5'),
    query('3.50', 'matic'),
    { ...query('3.500000', 'eip155:137'), tokenIn: lower(polygon.wrappedNative) },
    { ...query('3.5', 'matic'), tokenOut: lower(polygon.usdc) },
  ];
  const signatures: Record<string, string>[] = [];
  for (const _ of spelled) signatures.push(await sign());
  const answers = await Promise.all(
    spelled.map(async (body, at) => {
      const response = await post(body, signatures[at]);
      expect(response.status).toBe(200);
      return response.text();
    }),
  );
  expect(new Set(answers).size).toBe(1);
});

test('answers from the second RPC when the first is down, and charges once', async () => {
  always(nodes.proxies[0], { kind: 'drop' });
  const payer = walletOf('demo').address;
  const before = await balanceOf(payer);
  const response = await post(query('7.25'), await sign());
  expect(response.status).toBe(200);
  expect(before - (await balanceOf(payer))).toBe(20_000n);
});

const outages: [string, RpcFault][] = [
  ['drop connections', { kind: 'drop' }],
  ['hang', { kind: 'hang' }],
  ['return HTML', { kind: 'html' }],
  ['limit requests', { kind: 'status', status: 429, headers: { 'retry-after': '3' } }],
];

test.each(outages)(
  'returns 503 without a charge when all RPCs %s; the same payment works later',
  async (outage, fault) => {
    const payer = walletOf('demo').address;
    const before = await balanceOf(payer);
    const signature = await sign();
    const body = query(`1.${outages.findIndex(([what]) => what === outage) + 1}`);
    for (const proxy of nodes.proxies) always(proxy, fault);
    // A chain that was read within the last 2 s counts as reachable.
    clockOffsetMs += 2_100;
    for (let times = 0; times < 3; times += 1) {
      const response = await post(body, signature);
      const text = await response.text();
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(text).toMatch(/UPSTREAM_UNAVAILABLE|DEADLINE_EXCEEDED/);
      expect(text).not.toMatch(new RegExp(`${secret}|127\\.0\\.0\\.1|at .*\\.ts`));
      expect(response.headers.get('payment-response')).toBeNull();
    }
    expect(await balanceOf(payer)).toBe(before);

    nodes.clearFaults();
    await expect.poll(async () => (await post(body, signature)).status, { interval: 200 }).toBe(200);
    expect(before - (await balanceOf(payer))).toBe(20_000n);
  },
);
