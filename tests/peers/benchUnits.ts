/**
 * npm run bench:units [-- --out bench/units.json]
 *
 * Counts the JSON-RPC calls that each kind of paid call sends, by method, with a proxy in front of the sandbox's Base in
 * live mode, with blocks of 200 ms and without vendors. Providers bill each call of a batch.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { type SandboxChain, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { startServer } from '../../server/startServer.ts';
import { findWallet } from '../support/findWallet.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'bench/units.json' } } });

const sandbox = await startSandbox({ chains: ['base'], testTokens: true, mainnetUsdc: true, blockMs: { base: 200 } });
const base = sandbox.chains.base as SandboxChain;
const walletOf = (role: string) => findWallet(sandbox.wallets, role);
const tokenOf = (symbol: string) => base.tokens.find((token) => token.symbol === symbol)?.address;
const proxy = await startRpcProxy(base.rpcUrl);
const folder = await mkdtemp(join(tmpdir(), 'truefill-units-'));
const server = await startServer(
  readConfig({
    ...{ TRUEFILL_MODE: 'live', RPC_URL_BASE: proxy.url, PUBLIC_URL: 'http://127.0.0.1:4020', DATA_DIR: folder },
    ...{ PAY_TO_EVM: walletOf('payTo').address, FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey },
    ...{ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', FREE_TRIAL_GROUPS: 'none' },
    ...{ BLOCKSCOUT_URL: 'off', DEXSCREENER_URL: 'off', GECKOTERMINAL_URL: 'off' },
  }),
);

const payer = new x402Client().register(
  'eip155:8453',
  new ExactEvmScheme(privateKeyToAccount(walletOf('demo').privateKey)),
);
const payingFetch = wrapFetchWithPayment(fetch, payer);

/** Calls by method, of the requests since `begin`. */
function countSince(begin: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { calls } of proxy.requests.slice(begin))
    for (const { method } of calls) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

async function measure(path: string, body: object) {
  const begin = proxy.requests.length;
  const response = await payingFetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  const answer = (await response.json()) as { confidence?: string };
  return { confidence: answer.confidence, requests: proxy.requests.length - begin, calls: countSince(begin) };
}

const quote = (sizeIn: string) => measure('/v1/quote', { tokenIn: base.wrappedNative, tokenOut: base.usdc, sizeIn });
const check = () => measure('/v1/pretrade/check', { token: tokenOf('PLAIN') });

const measured: Record<string, unknown> = {};
try {
  // The first call also reads what all later ones share, such as the fees of the network.
  measured['quote, first of the process'] = await quote('1');
  measured['quote, new pair'] = await measure('/v1/quote', {
    tokenIn: tokenOf('PLAIN'),
    tokenOut: base.usdc,
    sizeIn: '10',
  });
  measured['quote, known pair'] = await quote('1.25');
  measured['quote, cached answer'] = await quote('1.25');
  measured['check, first of a token'] = await check();
  await sleep(15_000);
  measured['check, repeated'] = await check();
  const begin = proxy.requests.length;
  await sleep(60_000);
  measured['minute after a call'] = { requests: proxy.requests.length - begin, calls: countSince(begin) };
  const idle = proxy.requests.length;
  await sleep(60_000);
  measured['idle minute'] = { requests: proxy.requests.length - idle, calls: countSince(idle) };
} finally {
  await server.close();
  await proxy.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
}
const text = `${JSON.stringify({ measuredAt: new Date().toISOString(), measured }, undefined, 2)}\n`;
await writeFile(values.out, text);
process.stdout.write(text);
