import { createPublicClient, createTestClient, http, keccak256, size } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runnerOf } from '../../engine/chain/placedLens.ts';
import {
  ChainUnavailableError,
  createEngine,
  deploymentProxy,
  placeableLenses,
  placeOf,
  type RpcCall,
} from '../../engine/index.ts';
import { type RpcProxy, type Sandbox, type SandboxChain, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { PlacingError, placeLens } from '../../scripts/place/placeLens.ts';
import { createHttpRpcEndpoint, type RpcEndpoint } from '../../server/rpc/index.ts';
import { tokenOf } from '../engine/market.ts';
import { priced } from './twoNodes.ts';

// A lens that its chain holds is not sent along: the same answers for a tenth of the bytes.

let sandbox: Sandbox;
let base: SandboxChain;
let proxy: RpcProxy;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  base = sandbox.chains.base as SandboxChain;
  proxy = await startRpcProxy(base.rpcUrl);
});
afterAll(async () => {
  await proxy?.close();
  await sandbox?.close();
});
beforeEach(() => {
  proxy.requests.length = 0;
});

const payer = () => {
  const wallet = sandbox.wallets.find(({ role }) => role === 'trader');
  if (!wallet) throw new Error('The sandbox has no trader.');
  return privateKeyToAccount(wallet.privateKey);
};
const node = () => createTestClient({ mode: 'anvil', transport: http(base.rpcUrl) });

async function startEngine(through: (endpoint: RpcEndpoint) => RpcEndpoint = (endpoint) => endpoint) {
  const engine = createEngine({
    rpc: { base: [through(createHttpRpcEndpoint({ url: proxy.url, label: 'node', timeoutMs: 20_000 }))] },
    now: Date.now,
    freshnessMs: { base: 0, polygon: 0, arbitrum: 0 },
    deadlineMs: 20_000,
  });
  await engine.start();
  proxy.requests.length = 0;
  const quote = async (tokens = '3') => {
    const size = { tokenIn: tokens };
    const answer = await engine.quote({ chain: 'base', tokenIn: base.wrappedNative, tokenOut: base.usdc, size });
    return priced(answer);
  };
  const check = async () => {
    const { address } = tokenOf(base, 'AERO');
    const { verdict, risk_profile, flags, quote: quoted } = await engine.check({ chain: 'base', token: address });
    const { liquidity, transferability } = risk_profile;
    return { verdict, flags, liquidity, transferability, quoted };
  };
  const bytes = () => proxy.requests.reduce((sum, { requestBytes }) => sum + requestBytes, 0);
  return { quote, check, bytes };
}

test('behavior: a lens that the chain holds answers the same, and its code is not sent', async () => {
  const without = await startEngine();
  // The first question finds out where the token keeps its balances.
  await without.quote();
  proxy.requests.length = 0;
  const [quoted, quoteBytes] = [await without.quote(), without.bytes()];
  const checked = await without.check();

  for (const lens of Object.values(placeableLenses)) {
    // EIP-170: no chain would take more, whatever this one does.
    expect(size(lens.runtime)).toBeLessThanOrEqual(24_576);
    const placing = await placeLens(base.rpcUrl, payer(), lens);
    expect(placing).toMatchObject({ outcome: 'placed', address: placeOf(lens) });
    const code = await createPublicClient({ transport: http(base.rpcUrl) }).getCode({ address: placing.address });
    expect(keccak256(code ?? '0x')).toBe(keccak256(lens.runtime));
    // Whoever comes second pays nothing.
    expect(await placeLens(base.rpcUrl, payer(), lens)).toMatchObject({ outcome: 'was there', paid: 0n });
  }

  const placed = await startEngine();
  expect({ ...(await placed.quote()), blockNumber: 0n }).toEqual({ ...quoted, blockNumber: 0n });
  proxy.requests.length = 0;
  await placed.quote();
  expect(proxy.requests).toHaveLength(1);
  expect(quoteBytes).toBeGreaterThan(48_000);
  expect(placed.bytes()).toBeLessThan(8_000);
  expect(await placed.check()).toEqual(checked);
});

test('behavior: a lens that is gone from the chain is sent along again, and the answer stands', async () => {
  const engine = await startEngine();
  const before = await engine.quote();
  const checked = await engine.check();
  const codes = new Map<`0x${string}`, `0x${string}`>();
  for (const lens of Object.values(placeableLenses)) codes.set(placeOf(lens), lens.runtime);
  for (const address of codes.keys()) await node().setCode({ address, bytecode: '0x' });
  try {
    expect({ ...(await engine.quote()), blockNumber: 0n }).toEqual({ ...before, blockNumber: 0n });
    expect(await engine.check()).toEqual(checked);
  } finally {
    for (const [address, bytecode] of codes) await node().setCode({ address, bytecode });
  }
});

test.each(['ExitLens', 'QuoteLens'] as const)('behavior: the check alone notices that %s is gone', async (name) => {
  const engine = await startEngine();
  const checked = await engine.check();
  const { runtime } = placeableLenses[name];
  const address = placeOf(placeableLenses[name]);
  await node().setCode({ address, bytecode: '0x' });
  try {
    expect(await engine.check()).toEqual(checked);
  } finally {
    await node().setCode({ address, bytecode: runtime });
  }
});

/** Behind one URL: who is asked what the chain holds has the lens, who is to run it has not. */
const isRun = (call: RpcCall) =>
  Object.values(placeableLenses).some((lens) => JSON.stringify(call).includes(runnerOf(placeOf(lens))));
const behindBalancer = (endpoint: RpcEndpoint): RpcEndpoint => ({
  ...endpoint,
  async send(calls, options) {
    const replies = await endpoint.send(calls, options);
    return replies.map((reply, index) => (isRun(calls[index] as RpcCall) ? { result: '0x' } : reply));
  },
});

test('behavior: a lens that only some behind one URL have is sent along', async () => {
  const checked = await (await startEngine()).check();
  const engine = await startEngine(behindBalancer);
  expect(await engine.check()).toEqual(checked);
  expect((await engine.quote()).amountOut).toBeGreaterThan(0n);
});

test('behavior: of questions asked at once none is answered worse when the lens is gone', async () => {
  const sizes = ['3', '4', '5'];
  const flagsOf = async (quotes: Promise<{ flags: { code: string }[] }>[]) =>
    (await Promise.all(quotes)).map(({ flags }) => flags.map(({ code }) => code));
  const whole = await startEngine();
  const expected = await flagsOf(sizes.map((size) => whole.quote(size)));
  const engine = await startEngine(behindBalancer);
  expect(await flagsOf(sizes.map((size) => engine.quote(size)))).toEqual(expected);
});

test('behavior: a node that refuses is not pressed for the lens', async () => {
  let refuses = false;
  let asked = 0;
  const engine = await startEngine((endpoint) => ({
    ...endpoint,
    async send(calls, options) {
      asked += 1;
      if (!refuses) return endpoint.send(calls, options);
      return calls.map(() => ({ error: { code: -32005, message: 'rate limit' } }));
    },
  }));
  await engine.check();
  [refuses, asked] = [true, 0];
  await expect(engine.check()).rejects.toThrow(ChainUnavailableError);
  expect(asked).toBe(1);
});

test('behavior: other code at the place is not run', async () => {
  const address = placeOf(placeableLenses.QuoteLens);
  // Answers every call with sixty-four words of ones.
  await node().setCode({ address, bytecode: '0x6108005ff3' });
  try {
    const engine = await startEngine();
    await engine.quote();
    proxy.requests.length = 0;
    expect((await engine.quote()).amountOut).toBeGreaterThan(0n);
    expect(engine.bytes()).toBeGreaterThan(48_000);
  } finally {
    await node().setCode({ address, bytecode: placeableLenses.QuoteLens.runtime });
  }
});

test('error: PlacingError without the deployment proxy', async () => {
  const client = createPublicClient({ transport: http(base.rpcUrl) });
  const bytecode = (await client.getCode({ address: deploymentProxy })) ?? '0x';
  const { QuoteLens } = placeableLenses;
  const longer = `${QuoteLens.bytecode}00` as const;
  const lens = { ...QuoteLens, bytecode: longer, initCodeHash: keccak256(longer) };
  await node().setCode({ address: deploymentProxy, bytecode: '0x' });
  try {
    await expect(placeLens(base.rpcUrl, payer(), lens)).rejects.toThrow(PlacingError);
  } finally {
    await node().setCode({ address: deploymentProxy, bytecode });
  }
});
