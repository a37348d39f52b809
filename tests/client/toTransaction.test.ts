import { type Address, createWalletClient, erc20Abi, http, maxUint256, parseUnits } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { waitForTransactionReceipt } from 'viem/actions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NoSingleTransactionError, type Quote, type SwapTransaction, toTransaction } from '../../client/index.ts';
import { routers } from '../../client/trade/routers.ts';
import { deployments } from '../../engine/index.ts';
import { toWire } from '../../router/index.ts';
import {
  type Sandbox,
  type SandboxChain,
  type SandboxChainName,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { askContract } from '../../sandbox/testing/askContract.ts';
import { andPutBack, engineOn, tokenOf } from '../engine/market.ts';
import { type PlannedSwap, quoteOf, tokensOf } from './handmadeQuote.ts';

let sandbox: Sandbox;
let taker: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox();
  taker = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

const chainOf = (name: SandboxChainName) => sandbox.chains[name] as SandboxChain;
const names = ['base', 'polygon', 'arbitrum'] as const;

function balanceOf(chain: SandboxChain, token: Address): Promise<bigint> {
  return askContract(chain, { to: token, abi: erc20Abi, name: 'balanceOf', args: [taker.address] }) as Promise<bigint>;
}

/** Sends the approvals and the transaction as any wallet would. @returns what the taker's balances moved */
function execute(chain: SandboxChain, { tokenIn, tokenOut }: Quote, transaction: SwapTransaction) {
  return andPutBack(chain, async () => {
    const wallet = createWalletClient({
      account: privateKeyToAccount(taker.privateKey),
      transport: http(chain.rpcUrl),
    });
    const send = async (call: { to: Address; data: `0x${string}`; value?: bigint }) => {
      const hash = await wallet.sendTransaction({ ...call, chain: null, gas: 8_000_000n });
      const { status } = await waitForTransactionReceipt(wallet, { hash, pollingInterval: 5 });
      expect(status).toBe('success');
    };
    for (const approval of transaction.approvals) await send(approval);
    const before = [await balanceOf(chain, tokenIn as Address), await balanceOf(chain, tokenOut as Address)] as const;
    await send(transaction);
    const spent = before[0] - (await balanceOf(chain, tokenIn as Address));
    return { spent, received: (await balanceOf(chain, tokenOut as Address)) - before[1] };
  });
}

async function expectExact(chain: SandboxChain, quote: Quote, slippageBps = 0): Promise<SwapTransaction> {
  const transaction = toTransaction(quote, { taker: taker.address, slippageBps });
  const moved = await execute(chain, quote, transaction);
  expect(moved).toEqual({ spent: BigInt(quote.amountIn), received: BigInt(quote.amountOut) });
  return transaction;
}

const poolOf = (chain: SandboxChain, venue: string, a: Address, b: Address): SandboxPool => {
  const wanted = [a, b]
    .map((token) => token.toLowerCase())
    .sort()
    .join();
  const found = chain.pools.find((pool) => {
    const tokens = tokensOf(chain, pool).map((token) => token.toLowerCase());
    return pool.venue === venue && tokens.sort().join() === wanted;
  });
  if (!found) throw new TypeError(`${chain.name} has no pool of ${venue}.`);
  return found;
};

describe.each(names)('%s', (name) => {
  test('default: each pool of a venue with a known router pays amountOut to the wei, both ways', async () => {
    const chain = chainOf(name);
    const executed = new Set<string>();
    for (const pool of chain.pools) {
      if (!routers[name].venues[pool.venue]) continue;
      const tokens = tokensOf(chain, pool);
      if (tokens.includes(tokenOf(chain, 'USDC').address) && name === 'base') {
        // DUST has no liquidity at its price.
        const dust = chain.tokens.find(({ symbol }) => symbol === 'DUST')?.address;
        if (dust && tokens.includes(dust)) continue;
      }
      for (const [tokenIn, tokenOut] of [tokens, [tokens[1], tokens[0]]] as const) {
        const decimals = chain.tokens.find(({ address }) => address === tokenIn)?.decimals ?? 18;
        const quote = await quoteOf(chain, taker, [
          { pool, tokenIn, tokenOut, amountIn: parseUnits('0.37', decimals) },
        ]);
        await expectExact(chain, quote);
        executed.add(pool.venue);
      }
    }
    const venues = new Set(chain.pools.map(({ venue }) => venue));
    // Its router's address on Polygon has one source only.
    if (name === 'polygon') venues.delete('quickswap-v4');
    expect([...executed].sort()).toEqual([...venues].sort());
  }, 300_000);

  test('default: the engine’s own answers, direct and over two legs, are executed to the wei', async () => {
    const chain = chainOf(name);
    const { engine } = engineOn(chain);
    const usdc = tokenOf(chain, 'USDC').address;
    let executed = 0;
    for (const token of chain.tokens) {
      if (token.address === usdc || executed >= 12) continue;
      const quote = toWire(
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

  test('default: a divided plan with a shared hop runs through the Universal Router to the wei', async () => {
    const chain = chainOf(name);
    const [thorn, weth, usdc] = ['THORN', name === 'polygon' ? 'WPOL' : 'WETH', 'USDC'].map(
      (symbol) => tokenOf(chain, symbol).address,
    ) as [Address, Address, Address];
    const uniswap = chain.pools.filter(
      ({ venue, key }) => venue.startsWith('uniswap') && BigInt(key?.hooks ?? 0) === 0n,
    );
    const between = (a: Address, b: Address) =>
      uniswap.filter((pool) => tokensOf(chain, pool).includes(a) && tokensOf(chain, pool).includes(b));
    const amount = (whole: string) => parseUnits(whole, 18);
    const swaps: PlannedSwap[] = [
      ...between(thorn, weth).map((pool) => ({ pool, tokenIn: thorn, tokenOut: weth, amountIn: amount('31') })),
      ...between(thorn, usdc).map((pool) => ({ pool, tokenIn: thorn, tokenOut: usdc, amountIn: amount('17') })),
    ];
    const exits = between(weth, usdc);
    exits.forEach((pool, index) => {
      const rest = index === exits.length - 1 ? {} : { amountIn: amount('0.001') };
      swaps.push({ pool, tokenIn: weth, tokenOut: usdc, ...rest });
    });
    expect(swaps.length).toBeGreaterThan(3);
    const quote = await quoteOf(chain, taker, swaps);
    const { to, approvals } = await expectExact(chain, quote);
    expect(to).toBe(routers[name].universalRouter);
    expect(approvals.map(({ to: where, spender }) => [where, spender])).toEqual([
      [thorn, '0x000000000022D473030F116dDEE9F6B43aC78BA3'],
      ['0x000000000022D473030F116dDEE9F6B43aC78BA3', to],
    ]);
  });

  test('behavior: the last leg that sells the native coin takes what the others leave', async () => {
    const chain = chainOf(name);
    const { wrappedNative: weth } = chain;
    const usdc = tokenOf(chain, 'USDC').address;
    const pools = chain.pools.filter((pool) => {
      const tokens = tokensOf(chain, pool);
      const isPlain = pool.venue.startsWith('uniswap') && BigInt(pool.key?.hooks ?? 0) === 0n;
      return isPlain && tokens.includes(weth) && tokens.includes(usdc);
    });
    const exits = [...pools].sort((a, b) => Number(BigInt(b.token0 === a.token0 ? 0 : a.token0 < b.token0 ? -1 : 1)));
    const amountIn = parseUnits('500', 6);
    const swaps: PlannedSwap[] = [
      ...pools.slice(0, 2).map((pool) => ({ pool, tokenIn: usdc, tokenOut: weth, amountIn })),
    ];
    const there = await quoteOf(chain, taker, swaps);
    await expectExact(chain, there);
    const back: PlannedSwap[] = exits.map((pool) => ({ pool, tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 15n }));
    await expectExact(chain, await quoteOf(chain, taker, back));
  });
});

test('behavior: chains of one router of the v3 type are divided by a multicall', async () => {
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
  const quote = await quoteOf(chain, taker, swaps);
  const { data } = await expectExact(chain, quote);
  expect(data.slice(0, 10)).toBe('0xac9650d8');
});

test('behavior: a transaction tax on tokenIn is paid as quoted through pair routers', async () => {
  const chain = chainOf('base');
  const { engine } = engineOn(chain);
  const taxed = chain.tokens.filter(({ about }) => /tax|keeps/i.test(about));
  let executed = 0;
  for (const { address } of taxed) {
    const quote = toWire(
      await engine.quote({ chain: 'base', tokenIn: address, tokenOut: chain.usdc, size: { tokenIn: '10' } }),
    );
    const tax = quote.flags.find(({ code }) => code === 'TRANSFER_TAX');
    if (quote.route.legs.length !== 1 || !tax || tax.taxBps === null) continue;
    await expectExact(chain, quote);
    executed += 1;
  }
  expect(executed).toBeGreaterThan(0);
});

test('behavior: the router refuses to pay less than minAmountOut', async () => {
  const chain = chainOf('base');
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  for (const venue of ['uniswap-v3', 'uniswap-v2', 'aerodrome', 'pancakeswap-v3']) {
    const swap = { pool: poolOf(chain, venue, weth, usdc), tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 18n };
    const quote = await quoteOf(chain, taker, [swap]);
    const { minAmountOut } = toTransaction(quote, { taker: taker.address, slippageBps: 50 });
    expect(minAmountOut).toBe((BigInt(quote.amountOut) * 9_950n + 9_999n) / 10_000n);
    const dearer = { ...quote, amountOut: (BigInt(quote.amountOut) + 1n).toString() };
    const [leg] = dearer.route.legs;
    const raised = { ...dearer, route: { ...dearer.route, legs: [{ ...leg, amountOut: dearer.amountOut }] } } as Quote;
    const refused = toTransaction(raised, { taker: taker.address, slippageBps: 0 });
    await expect(execute(chain, raised, refused), venue).rejects.toThrow();
  }
});

test('error: NoSingleTransactionError names why no single transaction executes the plan', async () => {
  const chain = chainOf('base');
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  const swap = (venue: string) => ({
    pool: poolOf(chain, venue, weth, usdc),
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: 10n ** 17n,
  });
  const options = { taker: taker.address, slippageBps: 50 };
  const mixed = await quoteOf(chain, taker, [swap('uniswap-v3'), swap('aerodrome')]);
  expect(() => toTransaction(mixed, options)).toThrow(NoSingleTransactionError);
  expect(() => toTransaction(mixed, options)).toThrow(/uniswap-v3, aerodrome/);

  const single = await quoteOf(chain, taker, [swap('uniswap-v3')]);
  const [leg] = single.route.legs;
  const unknown = { ...single, route: { ...single.route, legs: [{ ...leg, venue: 'hydrex' }] } } as Quote;
  expect(() => toTransaction(unknown, options)).toThrow('No router is known for hydrex.');
  const empty = { ...single, route: { ...single.route, legs: [] } } as Quote;
  expect(() => toTransaction(empty, options)).toThrow('The quote has no route.');
  const flags = [
    { code: 'TRANSFER_TAX', severity: 'warn', message: '', side: 'buy', token: usdc, taxBps: 100 },
  ] as const;
  expect(() => toTransaction({ ...single, flags: [...flags] }, options)).toThrow(/transfer tax/);
  for (const slippageBps of [-1, 10_001, 0.5, Number.NaN]) {
    expect(() => toTransaction(single, { ...options, slippageBps })).toThrow(RangeError);
  }
  expect(maxUint256).toBeGreaterThan(0n);
});

test('behavior: factories and wrapped tokens are those of the engine’s deployments', () => {
  for (const name of names) {
    const factories = deployments[name].venues.flatMap((row) => ('factory' in row ? [row.factory] : []));
    expect(routers[name].wrappedNative).toBe(deployments[name].wrappedNative);
    for (const router of Object.values(routers[name].venues)) {
      if (router.kind === 'aerodrome') expect(factories).toContain(router.factory);
      if (router.kind !== 'slipstream') continue;
      for (const { factory } of router.generations) expect(factories).toContain(factory);
    }
  }
});
