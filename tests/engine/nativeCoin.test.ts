import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, type QuoteAnswer, type QuoteRequest } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, type SandboxWallet, startSandbox } from '../../sandbox/index.ts';
import { executed } from './executed.ts';
import { engineOn } from './market.ts';

const chains = ['base', 'polygon', 'arbitrum'] as const;
/** ERC-7528. */
const nativeCoin = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const spellings = [nativeCoin, nativeCoin.toLowerCase(), `0x${nativeCoin.slice(2).toUpperCase()}`] as Address[];

let sandbox: Sandbox;
let trader: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox();
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

const chainOf = (name: (typeof chains)[number]) => sandbox.chains[name] as SandboxChain;

/** The fields that two answers of one market share. The first read of a token uses more gas than the next. */
const priced = ({ ts, validUntil, flags, ...rest }: QuoteAnswer) => ({
  ...rest,
  flags: flags.filter(({ code }) => code !== 'NATIVE_AS_WRAPPED' && code !== 'ROUTE_GAS'),
});
const nativeFlags = ({ flags }: QuoteAnswer) => flags.filter(({ code }) => code === 'NATIVE_AS_WRAPPED');

test.each(chains)(
  'default: on %s the native coin as tokenIn is quoted and executes as the wrapped token',
  async (name) => {
    const chain = chainOf(name);
    const { engine } = engineOn(chain);
    const query: QuoteRequest = {
      chain: name,
      tokenIn: nativeCoin,
      tokenOut: chain.usdc,
      size: { tokenIn: '2.5' },
    };
    const native = await engine.quote(query);
    const wrapped = await engine.quote({ ...query, tokenIn: chain.wrappedNative });

    expect(native).toMatchObject({ tokenIn: chain.wrappedNative, tokenOut: chain.usdc });
    expect(native.route.path[0]).toBe(chain.wrappedNative);
    expect(nativeFlags(native)).toMatchObject([
      { severity: 'info', facts: { which: 'tokenIn', wrappedNative: chain.wrappedNative } },
    ]);
    expect(nativeFlags(wrapped)).toEqual([]);
    expect(priced(native)).toEqual(priced(wrapped));
    expect(native.amountOut).toBeGreaterThan(0n);
    const truth = await executed(chain, native.route.legs, native.amountIn, trader);
    expect(truth?.received).toBe(native.amountOut);
  },
);

test.each(chains)(
  'default: on %s the native coin as tokenOut is quoted and executes as the wrapped token',
  async (name) => {
    const chain = chainOf(name);
    const { engine } = engineOn(chain);
    const query: QuoteRequest = {
      chain: name,
      tokenIn: chain.usdc,
      tokenOut: nativeCoin,
      size: { tokenIn: '1500' },
    };
    const native = await engine.quote(query);
    const wrapped = await engine.quote({ ...query, tokenOut: chain.wrappedNative });

    expect(native).toMatchObject({ tokenIn: chain.usdc, tokenOut: chain.wrappedNative });
    expect(native.route.path.at(-1)).toBe(chain.wrappedNative);
    expect(nativeFlags(native)).toMatchObject([
      { severity: 'info', facts: { which: 'tokenOut', wrappedNative: chain.wrappedNative } },
    ]);
    expect(priced(native)).toEqual(priced(wrapped));
    const truth = await executed(chain, native.route.legs, native.amountIn, trader);
    expect(truth?.received).toBe(native.amountOut);
  },
);

test('behavior: every letter case of the native address and a USD size give the wrapped quote', async () => {
  const chain = chainOf('base');
  const { engine } = engineOn(chain);
  const query: QuoteRequest = {
    chain: 'base',
    tokenIn: nativeCoin,
    tokenOut: chain.usdc,
    size: { usd: '3000' },
  };
  const wrapped = await engine.quote({ ...query, tokenIn: chain.wrappedNative });
  for (const tokenIn of spellings) {
    const native = await engine.quote({ ...query, tokenIn });
    expect(priced(native)).toEqual(priced(wrapped));
    expect(nativeFlags(native)).toHaveLength(1);
  }
});

test('behavior: native and wrapped share one chain read and keep their own flags', async () => {
  const chain = chainOf('base');
  const freshnessMs = byChain(() => 60_000);
  const { engine, endpoint } = engineOn(chain, [], { freshnessMs });
  const wrapped: QuoteRequest = {
    chain: 'base',
    tokenIn: chain.wrappedNative,
    tokenOut: chain.usdc,
    size: { tokenIn: '3.25' },
  };
  // The first quote of a token also finds out how accounts can be funded with it.
  await engine.quote({ ...wrapped, size: { tokenIn: '1' } });
  const before = endpoint.requests;
  const answers = await Promise.all([
    engine.quote(wrapped),
    engine.quote({ ...wrapped, tokenIn: nativeCoin }),
    engine.quote(wrapped),
  ]);
  expect(endpoint.requests - before).toBe(1);
  expect(answers.map((answer) => nativeFlags(answer).length)).toEqual([0, 1, 0]);
  expect(await engine.quote({ ...wrapped, tokenIn: nativeCoin })).toEqual(answers[1]);
});

test('default: readCode returns whether an address has code at a block, and caches contracts', async () => {
  const chain = chainOf('polygon');
  const { engine, endpoint } = engineOn(chain);
  const contract = await engine.readCode('polygon', chain.usdc);
  expect(contract).toMatchObject({ hasCode: true });
  const requests = endpoint.requests;
  await engine.readCode('polygon', chain.usdc.toLowerCase() as Address);
  expect(endpoint.requests).toBe(requests);

  const none = await engine.readCode('polygon', `0x${'77'.repeat(20)}`);
  const [head] = await endpoint.send([{ method: 'eth_blockNumber', params: [] }], {
    signal: AbortSignal.timeout(9_000),
  });
  expect(none.hasCode).toBe(false);
  expect(head).toEqual({ result: `0x${none.blockNumber.toString(16)}` });
});

test('behavior: readCode finds a contract that was deployed after it read no code', async () => {
  const chain = chainOf('base');
  let now = 1_000_000;
  const { engine, endpoint } = engineOn(chain, [], {
    now: () => now,
    freshnessMs: byChain(() => 4_000),
  });
  const address: Address = `0x${'5a'.repeat(20)}`;
  expect(await engine.readCode('base', address)).toMatchObject({ hasCode: false });
  const set = (code: string) =>
    endpoint.send([{ method: 'anvil_setCode', params: [address, code] }], { signal: AbortSignal.timeout(9_000) });
  await set('0x00');
  now += 3_999;
  expect(await engine.readCode('base', address)).toMatchObject({ hasCode: false });
  now += 1;
  expect(await engine.readCode('base', address)).toMatchObject({ hasCode: true });
  await set('0x');
});
