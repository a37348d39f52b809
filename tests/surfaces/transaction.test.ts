import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTruefillClient, type Quote, type SwapTransaction, toTransaction } from '../../client/index.ts';
import type { TransactionOutput } from '../../router/transaction/transactionOutput.ts';
import type { Sandbox, SandboxChain } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { heldByExecutor, senderOn } from '../executor/openMarket.ts';
import { postJson } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';
import { serveFakes } from './serveFakes.ts';

// POST /v1/quote/transaction of the real service in the sandbox. The chain is the judge.

let server: RunningServer;
let sandbox: Pick<Sandbox, 'wallets'> & { chains: Record<string, SandboxChain> };
beforeAll(async () => {
  server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '10000' }));
  sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as typeof sandbox;
}, 300_000);
afterAll(() => server?.close());

let valid: ReturnType<typeof requestOf>;
beforeAll(async () => {
  valid = requestOf(await buyQuote('base', '1'), findWallet(sandbox.wallets, 'trader').address);
});

const deadline = 4_102_444_800;
const path = '/v1/quote/transaction';
const post = (body: unknown, headers?: Record<string, string>) => postJson(server.url + path, body, headers);

function chainOf(name: string): SandboxChain {
  const chain = sandbox.chains[name];
  if (!chain) throw new Error(`No chain ${name}.`);
  return chain;
}

async function buyQuote(name: string, sizeIn: string): Promise<Quote> {
  const { privateKey } = findWallet(sandbox.wallets, 'demo') as { privateKey: `0x${string}` };
  const wallet = privateKeyToAccount(privateKey);
  const truefill = createTruefillClient({ url: server.url, wallet, spendLimit: { totalUsd: 5 }, allowSandbox: true });
  const chain = chainOf(name);
  return truefill.quote({ tokenIn: chain.wrappedNative, tokenOut: chain.usdc, sizeIn, chain: name as 'base' });
}

/** A request for the transaction of a quote. */
function requestOf({ chain, tokenIn, tokenOut, amountIn, amountOut, route }: Quote, receiver: string) {
  return { chain, tokenIn, tokenOut, amountIn, amountOut, route, receiver, slippageBps: 0, deadline };
}

const toSwap = (built: TransactionOutput): SwapTransaction => ({
  ...built,
  data: built.data as `0x${string}`,
  value: BigInt(built.value),
  minAmountOut: BigInt(built.minAmountOut),
  approvals: built.approvals.map((each) => ({
    ...each,
    data: each.data as `0x${string}`,
    amount: BigInt(each.amount),
  })),
});

test('addresses in any letter case give the same transaction', async () => {
  const swapCase = (text: string) =>
    text.replace(/[a-f]/gi, (digit) => (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()));
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
  const changed = (change: (text: string) => string) => ({
    ...valid,
    ...{ receiver: change(valid.receiver), tokenIn: change(valid.tokenIn), tokenOut: change(valid.tokenOut) },
    route: {
      legs: valid.route.legs.map((leg) => ({
        ...leg,
        ...{ tokenIn: change(leg.tokenIn), tokenOut: change(leg.tokenOut), pool: change(leg.pool) },
      })),
    },
  });
  const expected = await (await post(valid)).json();
  for (const change of [upper, swapCase]) expect(await (await post(changed(change))).json()).toEqual(expected);
});

describe.each(['base', 'polygon', 'arbitrum'])('%s', (name) => {
  test.each(['2.5', '400'])('the transaction of a quote of %s pays amountOut to the wei', async (sizeIn) => {
    const chain = chainOf(name);
    const trader = findWallet(sandbox.wallets, 'trader').address;
    const sender = await senderOn(chain, trader);
    const quote = await buyQuote(name, sizeIn);
    const response = await post(requestOf(quote, trader));
    const built = (await response.json()) as TransactionOutput;
    expect(response.status, JSON.stringify(built)).toBe(200);
    expect(built.approvals.map(({ amount }) => amount)).toEqual([quote.amountIn]);
    expect(built.minAmountOut).toBe(quote.amountOut);
    const { ok, spent, received, held } = await sender.restored(async () => ({
      ...(await sender.execute(quote, toSwap(built))),
      held: await heldByExecutor(chain),
    }));
    expect({ ok, spent, received, held }).toEqual({
      ok: true,
      spent: BigInt(quote.amountIn),
      received: BigInt(quote.amountOut),
      held: [],
    });
    const node = createNodeClient(chain.rpcUrl);
    const code = await node.call<`0x${string}`>('eth_getCode', [built.to, 'latest']);
    expect(keccak256(code)).toBe(built.executor.codeHash);
    // The published client builds the same call.
    const own = toTransaction(quote, { taker: trader, slippageBps: 0, deadline, via: 'executor' });
    expect({ to: built.to, data: built.data }).toEqual({ to: own.to, data: own.data });
  });
});

const legWith = (change: object) => ({ ...valid, route: { legs: [{ ...valid.route.legs[0], ...change }] } });
const stranger = '0x00000000000000000000000000000000deadbeef';

test.each([
  ['no route', () => ({ ...valid, route: { ...valid.route, legs: [] } }), 'route'],
  ['amountOut 0', () => ({ ...valid, amountOut: '0' }), 'route'],
  ['a deadline in the past', () => ({ ...valid, deadline: 1_000 }), 'deadline'],
  ['a minimum of 0', () => ({ ...valid, slippageBps: 10_000 }), 'slippageBps'],
  ['the receiver 0x0', () => ({ ...valid, receiver: `0x${'0'.repeat(40)}` }), 'receiver'],
  ['an unknown family', () => legWith({ dex: 'curve' }), 'route.legs.0.dex'],
  ['an unknown venue', () => legWith({ venue: 'my-venue' }), 'route.legs.0.venue'],
  ['a leg that sells a token that no leg bought', () => legWith({ tokenIn: stranger }), 'route.legs.0.tokenIn'],
  ['a quote whose token refuses the executor', () => ({ ...valid, flags: [{ code: 'ROUTER_DEPENDENT' }] }), 'route'],
  ['an unknown property', () => ({ ...valid, taker: stranger }), 'taker'],
  ['an amount above 2^256', () => ({ ...valid, amountIn: '9'.repeat(78) }), 'amountIn'],
])('%s: 400 that names the field', async (_, toBody, field) => {
  const response = await post(toBody());
  const body = (await response.json()) as { code: string; charged: boolean; issues: { path: string }[] };
  expect([response.status, body.code, body.charged]).toEqual([400, 'INVALID_REQUEST', false]);
  expect(body.issues.map(({ path: at }) => at)).toContain(field);
});

test('a pool that the factory does not give is refused on every family with a formula', async () => {
  const kinds = [
    { dex: 'uniswap-v2', venue: 'uniswap-v2', feePips: 3000 },
    { dex: 'uniswap-v3', venue: 'uniswap-v3', feePips: 500 },
    { dex: 'uniswap-v3', venue: 'aerodrome-slipstream', feePips: 500 },
    { dex: 'solidly', venue: 'aerodrome', feePips: 30 },
    { dex: 'algebra', venue: 'hydrex', feePips: 500 },
  ];
  for (const kind of kinds) {
    const leg = { tokenIn: valid.tokenIn, tokenOut: valid.tokenOut, shareBps: 10_000, pool: stranger, ...kind };
    const response = await post({ ...valid, route: { legs: [leg] } });
    const body = (await response.json()) as { issues: { path: string }[] };
    expect([response.status, body.issues.map(({ path: at }) => at)], kind.venue).toEqual([400, ['route.legs.0.pool']]);
  }
});

test('a v4 pool id of another key is refused', async () => {
  const key = { currency0: valid.tokenIn, currency1: valid.tokenOut, fee: 500, tickSpacing: 10, hooks: stranger };
  const leg = { dex: 'uniswap-v4', venue: 'uniswap-v4', tokenIn: valid.tokenIn, tokenOut: valid.tokenOut };
  const v4 = { ...leg, pool: `0x${'ab'.repeat(32)}`, poolKey: key, feePips: 500, shareBps: 10_000 };
  const response = await post({ ...valid, route: { legs: [v4] } });
  expect(response.status).toBe(400);
});

test('a pool without a formula is named in warnings', async () => {
  const leg = { dex: 'uniswap-v2', venue: 'alienbase-v2', tokenIn: valid.tokenIn, tokenOut: valid.tokenOut };
  const response = await post({
    ...valid,
    route: { legs: [{ ...leg, pool: stranger, feePips: 1600, shareBps: 10_000 }] },
  });
  const { warnings } = (await response.json()) as TransactionOutput;
  expect(response.status).toBe(200);
  expect(warnings).toEqual([expect.stringContaining(stranger)]);
});

test.each([
  ['missing', 'truefill executor deploy --chain base --rpc <url>'],
  ['unread', 'Try again in a minute, or deploy it with: truefill executor deploy --chain base --rpc <url>'],
  ['withdrawn', 'is withdrawn'],
] as const)('executor %s: 422 that states what to do', async (state, words) => {
  const served = await serveFakes();
  served.engine.executorState = () => state;
  const response = await served.post(path, valid);
  const { code, charged, detail } = (await response.json()) as Record<string, unknown>;
  expect([response.status, code, charged]).toEqual([422, 'UNSUPPORTED_CHAIN', false]);
  expect(detail).toContain(words);
  const elsewhere = await served.post(path, { ...valid, chain: 'arbitrum' });
  expect(elsewhere.status).toBe(422);
  await served.close();
});

test('GET is 405, another content-type 415, a body above 64 KiB 413, one of 60 KiB is read', async () => {
  expect((await fetch(server.url + path)).status).toBe(405);
  expect((await post(valid, { 'content-type': 'text/plain' })).status).toBe(415);
  const padded = (size: number) => ({ ...valid, route: { ...valid.route, dex: 'x'.repeat(size) } });
  expect((await post(padded(66_000))).status).toBe(413);
  expect((await post(padded(60_000))).status).toBe(200);
});

test('flags other than ROUTER_DEPENDENT do not change the transaction', async () => {
  const flags = [{ code: 'ROUTE_GAS', severity: 'info', message: 'Gas.', gas: '1' }];
  expect(await (await post({ ...valid, flags })).json()).toEqual(await (await post(valid)).json());
});

test('tRPC and MCP return the same transaction', async () => {
  const rest = await (await post(valid)).json();
  const trpc = (await (await postJson(`${server.url}/trpc/buildTransaction`, valid)).json()) as {
    result: { data: unknown };
  };
  expect(trpc.result.data).toEqual(rest);
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'build_transaction', arguments: valid },
  };
  const accept = { accept: 'application/json, text/event-stream' };
  const mcp = (await (await postJson(`${server.url}/mcp`, call, accept)).json()) as {
    result: { structuredContent: unknown };
  };
  expect(mcp.result.structuredContent).toEqual(rest);
});
