import { readFile } from 'node:fs/promises';
import { getAddressDecoder } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type RpcFault, type RpcProxy, startRpcProxy, startSolana } from '../../sandbox/index.ts';
import type { SandboxSolana } from '../../sandbox/sandboxTypes.ts';
import { solanaNetwork } from '../../server/payments/networkConfigs.ts';
import { balancesPerDay, openWalletReads } from '../../server/payments/networks/svm/walletReads.ts';
import type { WalletReads } from '../../server/payments/paymentTypes.ts';

// How often the reads of the page reach the nodes of an operator, whatever strangers request.

let solana: SandboxSolana;
let proxy: RpcProxy;
let reads: WalletReads;
beforeAll(async () => {
  solana = await startSolana();
  proxy = await startRpcProxy(solana.rpcUrl);
});
beforeEach(() => {
  proxy.requests.length = 0;
  reads = openReads();
});
afterEach(() => {
  vi.useRealTimers();
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await solana?.close();
});

function openReads(perDay?: number): WalletReads {
  const terms = { network: solanaNetwork, rpcUrls: [proxy.url], payTo: solana.usdc, asset: solana.usdc } as const;
  return openWalletReads({ ...terms, facilitatorKey: '' }, 5_000, perDay);
}

const sent = (method: string) =>
  proxy.requests.flatMap(({ calls }) => calls).filter((call) => call.method === method).length;
const repeat = (times: number, send: (index: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: times }, (_, index) => send(index)));
const accountOf = (index: number) => getAddressDecoder().decode(new Uint8Array(32).fill(index + 1));

test('security: of the balances of 100 accounts at once, two are read; the others get an error at once', async () => {
  const replies = await repeat(100, (index) => reads.reply('getTokenAccountBalance', [accountOf(index)]));
  expect(sent('getTokenAccountBalance')).toBe(2);
  const refused = replies.filter((reply) => JSON.stringify(reply).includes('-32429'));
  expect(refused).toHaveLength(98);
});

test('security: 100 requests for a blockhash and for the mint cause one read each', async () => {
  await repeat(100, () => reads.reply('getLatestBlockhash', []));
  await repeat(100, () => reads.reply('getAccountInfo', [solana.usdc]));
  expect(sent('getLatestBlockhash')).toBe(1);
  expect(sent('getAccountInfo')).toBe(1);
});

const unhealthy = (text: string) => {
  const reply = JSON.parse(text) as { id: unknown } | { id: unknown }[];
  const failed = ({ id }: { id: unknown }) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'Behind.' } });
  return JSON.stringify(Array.isArray(reply) ? reply.map(failed) : failed(reply));
};

test.each<[string, RpcFault]>([
  ['drops its connections', { kind: 'drop' }],
  ['returns errors', { kind: 'rewrite', reply: unhealthy }],
])('security: while the node %s, 100 requests cause one read, repeated at most once', async (_fault, fault) => {
  await reads.reply('getAccountInfo', [solana.usdc]);
  proxy.fault = () => fault;
  proxy.requests.length = 0;
  for (let index = 0; index < 100; index += 1) await reads.reply('getLatestBlockhash', []).catch(() => undefined);
  expect(sent('getLatestBlockhash')).toBeGreaterThan(0);
  // The transport repeats a request whose connection the node has closed.
  expect(sent('getLatestBlockhash')).toBeLessThanOrEqual(2);
});

test("security: a node's error text is not passed on, and no balance follows from it", async () => {
  const refuse = (text: string) => {
    const reply = JSON.parse(text) as { id: unknown }[] | { id: unknown };
    const error = { code: -32602, message: 'plan limit of key SECRETKEY' };
    const failed = ({ id }: { id: unknown }) => ({ jsonrpc: '2.0', id, error });
    return JSON.stringify(Array.isArray(reply) ? reply.map(failed) : failed(reply));
  };
  await reads.reply('getAccountInfo', [solana.usdc]);
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'getTokenAccountBalance') ? { kind: 'rewrite', reply: refuse } : undefined;
  const reply = await reads.reply('getTokenAccountBalance', [accountOf(0)]);
  expect(reply).toEqual({ error: { code: -32000, message: 'The node refused this read.' } });
});

test('security: after the balances of a day, none is read until the day has ended', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  const bounded = openReads(5);
  const readOne = () => bounded.reply('getTokenAccountBalance', [accountOf(0)]);
  for (let second = 0; second < 10; second += 1) {
    vi.setSystemTime(1_000_000 + second * 1_000);
    await readOne();
  }
  expect(sent('getTokenAccountBalance')).toBe(5);
  vi.setSystemTime(1_000_000 + 86_400_000 - 1);
  expect(JSON.stringify(await readOne())).toContain('Nothing was charged.');
  expect(sent('getTokenAccountBalance')).toBe(5);
  vi.setSystemTime(1_000_000 + 86_400_000);
  await readOne();
  expect(sent('getTokenAccountBalance')).toBe(6);
});

test('the guide states how many balances are read in a day', async () => {
  const guide = await readFile(new URL('../../docs-site/guides/run.md', import.meta.url), 'utf8');
  expect(guide).toContain(`${balancesPerDay.toLocaleString('en-US')} a day`);
});
