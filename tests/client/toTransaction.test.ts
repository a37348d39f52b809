import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NoSingleTransactionError, type Quote, type SwapTransaction, toTransaction } from '../../client/index.ts';
import { routers } from '../../client/trade/routers.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
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
import { readContract } from '../../sandbox/testing/readContract.ts';
import { useSteadyClock } from '../../sandbox/testTokens/measurement/traders.ts';
import { engineOn, tokenOf } from '../engine/market.ts';
import { listTaxedTokens } from '../engine/taxedMarket.ts';
import { type PlannedSwap, poolOf, quoteOf, tokensOf } from './handmadeQuote.ts';

let sandbox: Sandbox;
let taker: SandboxWallet;
const chains = new Map<string, SandboxChain>();
const runners = new Map<string, OrderRunner>();
const runnerOf = ({ name }: SandboxChain) => runners.get(name) as OrderRunner;

beforeAll(async () => {
  sandbox = await startSandbox();
  const walletOf = (role: string) => sandbox.wallets.find((wallet) => wallet.role === role) as SandboxWallet;
  const trader = walletOf('trader');
  taker = walletOf('stranger');
  for (const name of names) {
    const chain = name === 'base' ? await listTaxedTokens(chainOf(name), sandbox.wallets) : chainOf(name);
    chains.set(name, chain);
    // The fee of Algebra pools depends on the time between quote and execution.
    await useSteadyClock(createNodeClient(chain.rpcUrl));
    await shareTokens(chain, trader.address);
    runners.set(name, await createOrderRunner(chain, trader));
  }
}, 300_000);
afterAll(() => sandbox?.close());

const chainOf = (name: SandboxChainName) => chains.get(name) ?? (sandbox.chains[name] as SandboxChain);

/** Transfers a quarter of the runner's balances to the taker, so that the two use different nonces. */
async function shareTokens(chain: SandboxChain, from: Address): Promise<void> {
  const node = createNodeClient(chain.rpcUrl);
  for (const account of [from, taker.address]) {
    await node.call('anvil_impersonateAccount', [account]);
    await node.call('anvil_setBalance', [account, numberToHex(10n ** 24n)]);
  }
  for (const { address } of chain.tokens) {
    const held = await balanceOf(chain, address, from).catch(() => 0n);
    if (held === 0n) continue;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [taker.address, held / 4n] });
    await node.call('eth_sendTransactionSync', [{ from, to: address, data, gas: numberToHex(1_000_000) }]);
  }
}
/** The answer as a client receives it, after JSON. */
const asClientQuote = (answer: QuoteAnswer) => JSON.parse(JSON.stringify(toWire(answer))) as Quote;
const names = ['base', 'polygon', 'arbitrum'] as const;

function balanceOf(chain: SandboxChain, token: Address, owner = taker.address): Promise<bigint> {
  return readContract(chain, { to: token, abi: erc20Abi, name: 'balanceOf', args: [owner] }) as Promise<bigint>;
}

/** Sends the approvals and the transaction. @returns the changes of the taker's balances */
async function execute(chain: SandboxChain, { tokenIn, tokenOut }: Quote, transaction: SwapTransaction) {
  const node = createNodeClient(chain.rpcUrl);
  const send = async ({ to, data, value = 0n }: { to: Address; data: Hex; value?: bigint }) => {
    const call = { from: taker.address, to, data, value: numberToHex(value), gas: numberToHex(8_000_000) };
    const { status } = await node.call<{ status: Hex }>('eth_sendTransactionSync', [call]);
    if (status !== '0x1') throw new Error(`Reverted: ${to}`);
  };
  const snapshot = await node.call<string>('evm_snapshot');
  // A reverted snapshot returns its transactions to the node's pool, so each attempt uses new nonces.
  await node.call('anvil_setNonce', [taker.address, numberToHex(nextNonce)]);
  nextNonce += transaction.approvals.length + 1;
  try {
    for (const approval of transaction.approvals) await send(approval);
    const before = [await balanceOf(chain, tokenIn as Address), await balanceOf(chain, tokenOut as Address)] as const;
    await send(transaction);
    const spent = before[0] - (await balanceOf(chain, tokenIn as Address));
    return { spent, received: (await balanceOf(chain, tokenOut as Address)) - before[1] };
  } finally {
    await node.call('evm_revert', [snapshot]);
  }
}
let nextNonce = 1_000;

async function expectExact(chain: SandboxChain, quote: Quote, slippageBps = 0): Promise<SwapTransaction> {
  const transaction = toTransaction(quote, { taker: taker.address, slippageBps });
  const moved = await execute(chain, quote, transaction);
  expect(moved).toEqual({ spent: BigInt(quote.amountIn), received: BigInt(quote.amountOut) });
  return transaction;
}

describe.each(names)('%s: single routes', (name) => {
  test('default: each pool of a venue with a known router pays exactly amountOut, in both directions', async () => {
    const chain = chainOf(name);
    const executed = new Set<string>();
    for (const pool of chain.pools) {
      if (!routers[name].venues[pool.venue]) continue;
      const tokens = tokensOf(chain, pool);
      // DUST has no liquidity at its price. Pools with callbacks do not support tokens with a transfer tax.
      const symbols = chain.tokens.filter(({ address }) => tokens.includes(address)).map(({ symbol }) => symbol);
      if (symbols.some((symbol) => symbol === 'DUST' || symbol.endsWith('TAX'))) continue;
      for (const [tokenIn, tokenOut] of [tokens, [tokens[1], tokens[0]]] as const) {
        const decimals = chain.tokens.find(({ address }) => address === tokenIn)?.decimals ?? 18;
        const quote = await quoteOf(chain, runnerOf(chain), [
          { pool, tokenIn, tokenOut, amountIn: parseUnits('0.37', decimals) },
        ]);
        await expectExact(chain, quote);
        executed.add(pool.venue);
      }
    }
    const venues = new Set(chain.pools.map(({ venue }) => venue));
    // The address of its router on Polygon has only one source.
    if (name === 'polygon') venues.delete('quickswap-v4');
    expect([...executed].sort()).toEqual([...venues].sort());
  }, 300_000);

  test('default: transactions for the engine’s quotes pay exactly amountOut', async () => {
    const chain = chainOf(name);
    const { engine } = engineOn(chain);
    const usdc = tokenOf(chain, 'USDC').address;
    let executed = 0;
    for (const token of chain.tokens) {
      if (token.address === usdc || executed >= 12) continue;
      const quote = asClientQuote(
        await engine.quote({ chain: name, tokenIn: usdc, tokenOut: token.address, size: { tokenIn: '123.45' } }),
      );
      if (quote.route.legs.length === 0 || quote.flags.some(({ code }) => code === 'TRANSFER_TAX')) continue;
      try {
        toTransaction(quote, { taker: taker.address, slippageBps: 0 });
      } catch (error) {
        expect(error).toBeInstanceOf(NoSingleTransactionError);
        continue;
      }
      await expectExact(chain, quote);
      executed += 1;
    }
    expect(executed).toBeGreaterThan(4);
  }, 120_000);
});

describe.each(names)('%s: split routes', (name) => {
  test('default: the Universal Router pays exactly amountOut for a split route with a shared intermediate token', async () => {
    const chain = chainOf(name);
    const [thorn, usdc] = ['THORN', 'USDC'].map((symbol) => tokenOf(chain, symbol).address) as [Address, Address];
    const uniswap = chain.pools.filter(
      ({ venue, key }) => venue.startsWith('uniswap') && BigInt(key?.hooks ?? 0) === 0n,
    );
    const between = (a: Address, b: Address) =>
      uniswap.filter((pool) => tokensOf(chain, pool).includes(a) && tokensOf(chain, pool).includes(b));
    // Prefer the native coin as intermediate token: its v4 pools need unwrapping.
    const middles = chain.tokens.filter(
      ({ address }) => address !== usdc && between(thorn, address).length > 0 && between(address, usdc).length > 1,
    );
    const { address: weth, decimals } = (middles.find(({ address }) => address === chain.wrappedNative) ??
      middles[0]) as SandboxChain['tokens'][number];
    const amount = (whole: string) => parseUnits(whole, 18);
    const swaps: PlannedSwap[] = [
      ...between(thorn, weth).map((pool) => ({ pool, tokenIn: thorn, tokenOut: weth, amountIn: amount('31') })),
      ...between(thorn, usdc).map((pool) => ({ pool, tokenIn: thorn, tokenOut: usdc, amountIn: amount('17') })),
    ];
    const exits = between(weth, usdc);
    exits.forEach((pool, index) => {
      const rest = index === exits.length - 1 ? {} : { amountIn: parseUnits('0.0001', decimals) };
      swaps.push({ pool, tokenIn: weth, tokenOut: usdc, ...rest });
    });
    expect(swaps.length).toBeGreaterThan(2);
    const quote = await quoteOf(chain, runnerOf(chain), swaps);
    const { to, approvals } = await expectExact(chain, quote);
    expect(to).toBe(routers[name].universalRouter);
    expect(approvals.map(({ to: where, spender }) => [where, spender])).toEqual([
      [thorn, '0x000000000022D473030F116dDEE9F6B43aC78BA3'],
      ['0x000000000022D473030F116dDEE9F6B43aC78BA3', to],
    ]);
  });

  test('behavior: one transaction buys and sells the wrapped native coin in several pools', async () => {
    const chain = chainOf(name);
    const { wrappedNative: weth } = chain;
    const usdc = tokenOf(chain, 'USDC').address;
    const pools = chain.pools.filter((pool) => {
      const tokens = tokensOf(chain, pool);
      const isPlain = pool.venue.startsWith('uniswap') && BigInt(pool.key?.hooks ?? 0) === 0n;
      return isPlain && tokens.includes(weth) && tokens.includes(usdc);
    });
    const amountIn = parseUnits('500', 6);
    const swaps: PlannedSwap[] = [
      ...pools.slice(0, 2).map((pool) => ({ pool, tokenIn: usdc, tokenOut: weth, amountIn })),
    ];
    const purchase = await quoteOf(chain, runnerOf(chain), swaps);
    await expectExact(chain, purchase);
    const sales: PlannedSwap[] = pools.map((pool) => ({ pool, tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 15n }));
    await expectExact(chain, await quoteOf(chain, runnerOf(chain), sales));
  });
});

test('behavior: a v3 router executes a split route by multicall', async () => {
  const chain = chainOf('base');
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  const pools = chain.pools.filter(
    (pool) =>
      pool.venue === 'pancakeswap-v3' && tokensOf(chain, pool).includes(weth) && tokensOf(chain, pool).includes(usdc),
  );
  expect(pools.length).toBe(2);
  const swaps = pools.map((pool, index) => ({
    pool,
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: 10n ** 17n * BigInt(index + 1),
  }));
  const quote = await quoteOf(chain, runnerOf(chain), swaps);
  const { data } = await expectExact(chain, quote);
  expect(data.slice(0, 10)).toBe('0xac9650d8');
});

test('behavior: quotes with transfer taxes are exact; a taxed purchase needs a router that measures balances', async () => {
  const chain = chainOf('base');
  const { engine } = engineOn(chain);
  const seen = { sales: 0, purchases: 0, refused: 0 };
  for (const symbol of ['BUYTAX', 'SELLTAX', 'BOTHTAX', 'WALLETTAX']) {
    const token = tokenOf(chain, symbol).address;
    for (const [tokenIn, tokenOut] of [
      [token, chain.usdc],
      [chain.usdc, token],
    ] as const) {
      const quote = asClientQuote(await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '10' } }));
      const [tax] = quote.flags.filter(({ code }) => code === 'TRANSFER_TAX');
      if (quote.route.legs.length !== 1 || !tax) continue;
      try {
        await expectExact(chain, quote);
        seen[tax.side === 'sell' ? 'sales' : 'purchases'] += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(NoSingleTransactionError);
        seen.refused += 1;
      }
    }
  }
  expect(seen.sales).toBeGreaterThan(0);
  expect(seen.purchases + seen.refused).toBeGreaterThan(0);
});

test('behavior: the router reverts below minAmountOut', async () => {
  const chain = chainOf('base');
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  for (const venue of ['uniswap-v3', 'uniswap-v2', 'aerodrome', 'pancakeswap-v3']) {
    const swap = { pool: poolOf(chain, venue, weth, usdc), tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 18n };
    const quote = await quoteOf(chain, runnerOf(chain), [swap]);
    const { minAmountOut } = toTransaction(quote, { taker: taker.address, slippageBps: 50 });
    expect(minAmountOut).toBe((BigInt(quote.amountOut) * 9_950n + 9_999n) / 10_000n);
    const higher = { ...quote, amountOut: (BigInt(quote.amountOut) + 1n).toString() };
    const [leg] = higher.route.legs;
    const raised = { ...higher, route: { ...higher.route, legs: [{ ...leg, amountOut: higher.amountOut }] } } as Quote;
    const refused = toTransaction(raised, { taker: taker.address, slippageBps: 0 });
    await expect(execute(chain, raised, refused), venue).rejects.toThrow();
  }
});

test('error: NoSingleTransactionError contains the reason why one transaction cannot execute the plan', async () => {
  const chain = chainOf('base');
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  const swap = (venue: string) => ({
    pool: poolOf(chain, venue, weth, usdc),
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: 10n ** 17n,
  });
  const options = { taker: taker.address, slippageBps: 50 };
  const mixed = await quoteOf(chain, runnerOf(chain), [swap('uniswap-v3'), swap('aerodrome')]);
  expect(() => toTransaction(mixed, options)).toThrow(NoSingleTransactionError);
  expect(() => toTransaction(mixed, options)).toThrow(/uniswap-v3, aerodrome/);

  const single = await quoteOf(chain, runnerOf(chain), [swap('uniswap-v3')]);
  const [leg] = single.route.legs;
  const unknown = { ...single, route: { ...single.route, legs: [{ ...leg, venue: 'hydrex' }] } } as Quote;
  expect(() => toTransaction(unknown, options)).toThrow('hydrex has no known router.');
  const empty = { ...single, route: { ...single.route, legs: [] } } as Quote;
  expect(() => toTransaction(empty, options)).toThrow('The quote has no route.');
  const flags = [
    { code: 'TRANSFER_TAX', severity: 'warn', message: '', side: 'buy', token: usdc, taxBps: 100 },
  ] as const;
  expect(() => toTransaction({ ...single, flags: [...flags] }, options)).toThrow(/transfer tax/);
  const custom = { code: 'CUSTOM_POOL', severity: 'warn', message: '', pool: leg?.pool } as const;
  expect(() => toTransaction({ ...single, flags: [custom] }, options)).toThrow(/custom deployer/);
  for (const slippageBps of [-1, 10_001, 0.5, Number.NaN]) {
    expect(() => toTransaction(single, { ...options, slippageBps })).toThrow(RangeError);
  }
});
