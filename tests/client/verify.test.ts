import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Address, parseUnits } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../client/cli/exitCodes.ts';
import { run } from '../../client/cli/run.ts';
import { type Quote, VerificationError, verify } from '../../client/index.ts';
import { executorContracts } from '../../client/trade/executorCode.ts';
import { toWire } from '../../router/index.ts';
import {
  createOrderRunner,
  type OrderRunner,
  type Sandbox,
  type SandboxChain,
  type SandboxChainName,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { engineOn, tokenOf } from '../engine/market.ts';
import { listTaxedTokens } from '../engine/taxedMarket.ts';
import { shareOf } from '../support/proofSize.ts';
import { quoteOf, tokensOf } from './handmadeQuote.ts';

let sandbox: Sandbox;
let runner: OrderRunner;
let base: SandboxChain;
let folder: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  const trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  base = await listTaxedTokens(sandbox.chains.base as SandboxChain, sandbox.wallets);
  runner = await createOrderRunner(base, trader);
  folder = await mkdtemp(join(tmpdir(), 'truefill-verify-'));
}, 300_000);
afterAll(async () => {
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

const chainOf = (name: SandboxChainName) => (name === 'base' ? base : (sandbox.chains[name] as SandboxChain));
const mineBlocks = (chain: SandboxChain, blocks: number) => createNodeClient(chain.rpcUrl).call('anvil_mine', [blocks]);

async function fetchQuote(chain: SandboxChain, tokenIn: Address, tokenOut: Address, size: string): Promise<Quote> {
  const { engine } = engineOn(chain);
  const answer = await engine.quote({ chain: chain.name, tokenIn, tokenOut, size: { tokenIn: size } });
  return JSON.parse(JSON.stringify(toWire(answer))) as Quote;
}

test.each(['base', 'polygon', 'arbitrum'] as const)(
  'default: on %s, verify reproduces amountOut one block later',
  async (name) => {
    const chain = chainOf(name);
    const usdc = tokenOf(chain, 'USDC').address;
    const families = new Set<string>();
    for (const { address } of shareOf(chain.tokens, 2)) {
      if (address === usdc) continue;
      for (const [tokenIn, tokenOut] of [
        [usdc, address],
        [address, usdc],
      ] as const) {
        const quote = await fetchQuote(chain, tokenIn, tokenOut, '7');
        if (quote.route.legs.length === 0) continue;
        await mineBlocks(chain, 1);
        const { claimed, executed, difference, legs, outcome } = await verify(quote, { rpcUrl: chain.rpcUrl });
        expect({ claimed, executed, difference, outcome }, `${tokenIn} ${tokenOut}`).toEqual({
          claimed: BigInt(quote.amountOut),
          executed: BigInt(quote.amountOut),
          difference: 0n,
          outcome: 'executed',
        });
        expect(legs.map((leg) => leg.executed)).toEqual(legs.map((leg) => leg.claimed));
        for (const { dex } of quote.route.legs) families.add(dex);
      }
    }
    expect(families.size).toBeGreaterThan(3);
  },
  180_000,
);

test('default: verify returns exactly amountOut for a split route', async () => {
  const [weth, usdc] = [base.wrappedNative, base.usdc];
  const pools = base.pools.filter((pool) => {
    const tokens = tokensOf(base, pool);
    return tokens.includes(weth) && tokens.includes(usdc) && BigInt(pool.key?.hooks ?? 0) === 0n;
  });
  const shareBps = Math.floor(10_000 / pools.length);
  const last = pools.length - 1;
  const total = parseUnits('0.1', 18) * BigInt(pools.length);
  const amount = (total * BigInt(shareBps)) / 10_000n;
  const swaps = pools.map((pool, index) => ({
    pool,
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: index === last ? total - amount * BigInt(last) : amount,
  }));
  const quote = await quoteOf(base, runner, swaps);
  const legs = quote.route.legs.map((leg, index) => ({
    ...leg,
    shareBps: index === last ? 10_000 - shareBps * last : shareBps,
  }));
  expect(legs.length).toBeGreaterThan(8);
  const result = await verify({ ...quote, route: { ...quote.route, legs } }, { rpcUrl: base.rpcUrl });
  expect(result).toMatchObject({ claimed: BigInt(quote.amountOut), difference: 0n });
});

test('verify calls the deployed executor for a quote that it proved, and runs the plan lens at a random address otherwise', async () => {
  const [address] = executorContracts.slice(-1).map((contract) => contract.address.toLowerCase());
  const proven = await fetchQuote(base, base.wrappedNative, base.usdc, '1');
  const gas = proven.flags.map((flag) => (flag.code === 'ROUTE_GAS' ? { ...flag, executor: address } : flag));
  const flags = proven.flags.filter(({ code }) => code !== 'ROUTE_GAS');
  const executed: { to: string; hasCode: boolean }[] = [];
  const recording: typeof fetch = (url, init) => {
    const { method, params } = JSON.parse(String(init?.body));
    const [call, , override] = params;
    if (method === 'eth_call' && call.from)
      executed.push({ to: call.to, hasCode: override[call.to]?.code !== undefined });
    return fetch(url, init);
  };
  for (const quote of [{ ...proven, flags: gas } as Quote, { ...proven, flags }]) {
    expect(await verify(quote, { rpcUrl: base.rpcUrl, fetch: recording })).toMatchObject({ difference: 0n });
  }
  expect(executed.map(({ hasCode }) => hasCode)).toEqual([false, true]);
  expect(executed.map(({ to }) => to.toLowerCase() === address)).toEqual([true, false]);

  const otherCode = nodeWithReply('eth_getCode', { result: '0x00' });
  const result = await verify({ ...proven, flags: gas } as Quote, { rpcUrl: base.rpcUrl, fetch: otherCode });
  expect(result).toMatchObject({ outcome: 'executed', difference: 0n });
});

test('behavior: reports the difference of a wrong amountOut, and the leg that reverts', async () => {
  const quote = await fetchQuote(base, base.wrappedNative, base.usdc, '1');
  const claimed = (BigInt(quote.amountOut) + 5n).toString();
  expect(await verify({ ...quote, amountOut: claimed }, { rpcUrl: base.rpcUrl })).toMatchObject({ difference: -5n });

  const [leg] = quote.route.legs;
  const other = base.pools.find(({ venue }) => venue === 'sushiswap-v2')?.pool as string;
  const broken = {
    ...leg,
    dex: 'uniswap-v3',
    pool: other,
    poolKey: undefined,
  } as unknown as Quote['route']['legs'][number];
  const result = await verify({ ...quote, route: { ...quote.route, legs: [broken] } }, { rpcUrl: base.rpcUrl });
  expect(result).toMatchObject({ executed: 0n, outcome: 'reverted at leg 1 of 1' });
});

/** A fetch that replaces the node's reply to one method. */
function nodeWithReply(method: string, reply: object): typeof fetch {
  return async (url, init) => {
    const { method: requested } = JSON.parse(String(init?.body));
    return requested === method ? Response.json({ jsonrpc: '2.0', id: 1, ...reply }) : fetch(url, init);
  };
}

test('error: VerificationError.fault identifies why the quote could not be executed', async () => {
  const quote = await fetchQuote(base, base.wrappedNative, base.usdc, '1');
  const faultOf = async (wrong: Quote, fetchFrom: typeof fetch = fetch, rpcUrl = base.rpcUrl) => {
    const error = await verify(wrong, { rpcUrl, fetch: fetchFrom }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(VerificationError);
    expect((error as Error).message).not.toContain(rpcUrl);
    return (error as VerificationError).fault;
  };
  const refusal = (message: string) => ({ error: { code: -32000, message } });
  expect(await faultOf({ ...quote, route: { ...quote.route, legs: [] } })).toBe('no-route');
  expect(await faultOf(quote, fetch, 'http://127.0.0.1:9')).toBe('unreachable');
  expect(await faultOf({ ...quote, chain: 'polygon' })).toBe('wrong-chain');
  expect(await faultOf({ ...quote, blockNumber: '99999999' })).toBe('no-block');
  expect(await faultOf(quote, nodeWithReply('eth_getBalance', refusal('missing trie node')))).toBe('no-state');
  expect(await faultOf(quote, nodeWithReply('eth_call', refusal('too many arguments')))).toBe('no-overrides');
  expect(await faultOf(quote, nodeWithReply('eth_call', { result: '0x' }))).toBe('no-overrides');
  expect(await faultOf(quote, nodeWithReply('eth_createAccessList', refusal('method not found')))).toBe('cannot-fund');
});

async function runCli(args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await run(args, {
    env: {},
    stdin: Readable.from(['']),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { exit, out: out.join(''), err: err.join('') };
}

test('default: truefill verify prints claimed, executed and difference, and exits 4 on a difference', async () => {
  const quote = await fetchQuote(base, base.wrappedNative, base.usdc, '1');
  const file = join(folder, 'answer.json');
  await writeFile(file, JSON.stringify(quote));
  const same = await runCli(['verify', file, '--rpc', base.rpcUrl]);
  expect(same).toMatchObject({ exit: exitCodes.answered, err: '' });
  expect(same.out).toMatch(
    new RegExp(`claimed +${quote.amountOut}\\n +executed +${quote.amountOut}\\n +difference +0`),
  );

  await writeFile(file, JSON.stringify({ ...quote, amountOut: (BigInt(quote.amountOut) + 1n).toString() }));
  const { exit, out } = await runCli(['verify', file, '--rpc', base.rpcUrl, '--json']);
  expect(exit).toBe(exitCodes.differs);
  expect(JSON.parse(out)).toMatchObject({ difference: '-1', executed: quote.amountOut });

  expect(await runCli(['verify', file])).toMatchObject({ exit: exitCodes.usage });
  expect(await runCli(['verify', join(folder, 'none.json'), '--rpc', base.rpcUrl])).toMatchObject({
    exit: exitCodes.usage,
  });
  await writeFile(file, '{"route":{"legs":[{}]}}');
  expect((await runCli(['verify', file, '--rpc', base.rpcUrl])).err).toContain('is not a truefill quote');
});
