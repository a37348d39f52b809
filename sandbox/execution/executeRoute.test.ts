import { type Address, encodeFunctionData, erc20Abi, parseAbi, parseUnits, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import {
  executeRoute,
  fund,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  startSandbox,
  TransactionRevertedError,
  UnknownPoolError,
  withSnapshot,
} from '../index.ts';
import { createNodeClient } from '../rpc/nodeClient.ts';
import { chainOf, tokenOf, walletOf } from '../testing/findSeeded.ts';
import { readContract } from '../testing/readContract.ts';
import { encodeLegs } from './encodeLegs.ts';
import { createPublishedQuoters } from './publishedQuoters.ts';
import { swapKinds } from './swapKinds.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

function tokensOf(chain: SandboxChain, pool: SandboxPool): [Address, Address] {
  const erc20 = (currency: Address) => (currency === zeroAddress ? chain.wrappedNative : currency);
  return [erc20(pool.token0), erc20(pool.token1)];
}

const trade = (chain: SandboxChain, pool: SandboxPool, [tokenIn, tokenOut]: [Address, Address], amountIn: bigint) =>
  withSnapshot(chain, () =>
    executeRoute(chain, {
      legs: [{ venue: pool.venue, pool: pool.pool, tokenIn, tokenOut }],
      amountIn,
      wallet: walletOf(sandbox, 'trader'),
    }),
  );

describe.each(['base', 'polygon', 'arbitrum'] as const)('%s', (name) => {
  test('default: every pool pays exactly what its published quoter or router returns, in both directions', async () => {
    const chain = chainOf(sandbox, name);
    const quoters = await createPublishedQuoters(chain);
    const compared = new Set<string>();
    for (const pool of chain.pools.filter(({ pool }) => pool !== emptyPool(chain))) {
      const [token0, token1] = tokensOf(chain, pool);
      for (const [tokenIn, tokenOut] of [
        [token0, token1],
        [token1, token0],
      ] as const) {
        const decimals = chain.tokens.find(({ address }) => address === tokenIn)?.decimals ?? 18;
        const amountIn = parseUnits('0.37', decimals);
        const [quoted] = await quoters.quote([{ pool, tokenIn, tokenOut, amountIn }]);
        const { received, spent } = await trade(chain, pool, [tokenIn, tokenOut], amountIn);
        expect(spent).toBe(amountIn);
        expect(received, `${pool.venue} ${pool.pool}`).toBeGreaterThan(0n);
        if (quoted === 'no-quoter') continue;
        expect(received, `${pool.venue} ${pool.pool}`).toBe(quoted);
        compared.add(pool.venue);
      }
    }
    const withoutQuoter = ['pancakeswap-v2'];
    const venues = new Set(chain.pools.map(({ venue }) => venue));
    expect([...compared].sort()).toEqual([...venues].filter((venue) => !withoutQuoter.includes(venue)).sort());
  });
});

test.each(['base', 'polygon', 'arbitrum'] as const)(
  'behavior: no round trip of WETH to USDC and back gains on %s',
  async (name) => {
    const chain = chainOf(sandbox, name);
    const weth = tokenOf(chain, 'WETH').address;
    const isOfPair = (pool: SandboxPool) => {
      const tokens = tokensOf(chain, pool);
      return tokens.includes(weth) && tokens.includes(chain.usdc);
    };
    let bestSale = 0;
    let bestBuy = 0;
    for (const pool of chain.pools.filter(isOfPair)) {
      const sale = await trade(chain, pool, [weth, chain.usdc], parseUnits('0.01', 18));
      const buy = await trade(chain, pool, [chain.usdc, weth], parseUnits('30', 6));
      bestSale = Math.max(bestSale, Number(sale.received) / 1e6 / 0.01);
      bestBuy = Math.max(bestBuy, Number(buy.received) / 1e18 / 30);
    }
    expect(bestSale * bestBuy).toBeGreaterThan(0.99);
    expect(bestSale * bestBuy).toBeLessThan(1);
  },
);

function emptyPool(chain: SandboxChain) {
  return poolOf(chain, 'DUST').pool;
}

function poolOf(chain: SandboxChain, symbol: string): SandboxPool {
  const { address } = tokenOf(chain, symbol);
  const pool = chain.pools.find(({ token0, token1 }) => token0 === address || token1 === address);
  if (!pool) throw new TypeError(`${symbol} has no pool.`);
  return pool;
}

test('default: two legs on two venue families execute in one transaction', async () => {
  const chain = chainOf(sandbox, 'base');
  const moss = tokenOf(chain, 'MOSS').address;
  const cbBtc = tokenOf(chain, 'cbBTC').address;
  const last = chain.pools.find(
    ({ venue, token0, token1 }) => venue === 'uniswap-v3' && [token0, token1].includes(cbBtc),
  );
  if (!last) throw new TypeError('Base has no cbBTC pool on Uniswap v3.');
  const legs = [
    { venue: 'aerodrome-slipstream', pool: poolOf(chain, 'MOSS').pool, tokenIn: moss, tokenOut: cbBtc },
    { venue: 'uniswap-v3', pool: last.pool, tokenIn: cbBtc, tokenOut: chain.wrappedNative },
  ];
  const wallet = walletOf(sandbox, 'trader');
  const amountIn = parseUnits('5000', 18);
  const { received } = await withSnapshot(chain, () => executeRoute(chain, { legs, amountIn, wallet }));
  expect(Number(received) / 1e18).toBeGreaterThan(0.48);
  expect(Number(received) / 1e18).toBeLessThan(0.5);
});

test('a split plan sells the amount of each leg and returns the sum of sequential swaps', async () => {
  const chain = chainOf(sandbox, 'base');
  const [weth, { usdc }] = [tokenOf(chain, 'WETH').address, chain];
  const pools = chain.pools.filter(
    ({ venue, token0, token1, key }) =>
      !key &&
      ['uniswap-v3', 'uniswap-v2', 'aerodrome'].includes(venue) &&
      [token0, token1].every((t) => [weth, usdc].includes(t)),
  );
  expect(pools.length).toBeGreaterThan(2);
  const wallet = walletOf(sandbox, 'trader');
  const part = parseUnits('0.3', 18);
  const amountIn = part * BigInt(pools.length);
  const legs = pools.map(({ venue, pool }) => ({ venue, pool, tokenIn: weth, tokenOut: usdc, amountIn: part }));
  const together = await withSnapshot(chain, () => executeRoute(chain, { legs, amountIn, wallet }));
  expect(together.spent).toBe(amountIn);
  let parts = 0n;
  for (const pool of pools) parts += (await trade(chain, pool, [weth, usdc], part)).received;
  expect(together.received).toBe(parts);
});

test('error: rejects a split plan if one of its legs has no amount', async () => {
  const chain = chainOf(sandbox, 'base');
  const pool = poolOf(chain, 'PINE');
  const [tokenIn, tokenOut] = [chain.wrappedNative, tokenOf(chain, 'PINE').address];
  const leg = { venue: pool.venue, pool: pool.pool, tokenIn, tokenOut };
  const order = { legs: [{ ...leg, amountIn: 1n }, leg], amountIn: 2n, wallet: walletOf(sandbox, 'trader') };
  await expect(executeRoute(chain, order)).rejects.toThrow(/no amountIn/);
});

test('error: TransactionRevertedError when a pool fills only part of the amount', async () => {
  const chain = chainOf(sandbox, 'base');
  const reed = tokenOf(chain, 'REED').address;
  const pool = poolOf(chain, 'REED');
  const sell = (whole: string) => trade(chain, pool, [reed, chain.usdc], parseUnits(whole, 18));
  expect((await sell('100')).received).toBeGreaterThan(0n);
  await expect(sell('100000')).rejects.toThrow(TransactionRevertedError);
});

test('error: TransactionRevertedError when a pool has no liquidity at its price', async () => {
  const chain = chainOf(sandbox, 'base');
  const dust = tokenOf(chain, 'DUST').address;
  const selling = trade(chain, poolOf(chain, 'DUST'), [dust, chain.usdc], parseUnits('1', 18));
  await expect(selling).rejects.toThrow(TransactionRevertedError);
});

test('error: UnknownPoolError for a pool that the sandbox did not create', async () => {
  const chain = chainOf(sandbox, 'base');
  const pool = { ...poolOf(chain, 'OAK'), pool: zeroAddress };
  await expect(trade(chain, pool, [chain.usdc, chain.wrappedNative], 1n)).rejects.toThrow(UnknownPoolError);
});

test('behavior: the PancakeSwap v2 pair charges exactly 25 basis points', async () => {
  const chain = chainOf(sandbox, 'base');
  const pool = poolOf(chain, 'PINE');
  const [tokenIn, tokenOut] = [chain.wrappedNative, tokenOf(chain, 'PINE').address];
  const amountIn = parseUnits('1', 18);
  const wallet = walletOf(sandbox, 'trader');
  const legs = [{ venue: pool.venue, pool: pool.pool, tokenIn, tokenOut }];
  await withSnapshot(chain, async () => {
    await executeRoute(chain, { legs, amountIn, wallet });
    const honest = encodeLegs(chain, await swapKinds('base'), legs);
    const swapAt = (feePips: bigint) => {
      const args = [honest.map((leg) => ({ ...leg, feePips })), amountIn, wallet.address] as const;
      const data = encodeFunctionData({ abi: routeExecutorArtifact.abi, functionName: 'execute', args });
      const call = { from: wallet.address, to: chain.executor, data };
      return createNodeClient(chain.rpcUrl).call('eth_call', [call, 'latest']);
    };
    await expect(swapAt(2500n)).resolves.toBe('0x');
    await expect(swapAt(2499n)).rejects.toThrow(/UniswapV2: K/);
  });
});

test('default: fund transfers tokens and native currency, and withSnapshot reverts it', async () => {
  const chain = chainOf(sandbox, 'polygon');
  const { address } = walletOf(sandbox, 'stranger');
  const balance = () => readContract(chain, { to: chain.usdc, abi: erc20Abi, name: 'balanceOf', args: [address] });
  const native = () => createNodeClient(chain.rpcUrl).call('eth_getBalance', [address, 'latest']);
  await withSnapshot(chain, async () => {
    await fund(chain, chain.usdc, address, 123n);
    await fund(chain, zeroAddress, address, 255n);
    expect(await balance()).toBe(123n);
    expect(await native()).toBe('0xff');
  });
  expect(await balance()).toBe(0n);
  expect(await native()).toBe('0x0');
});

test('behavior: the executor rejects a callback from an unknown contract', async () => {
  const chain = chainOf(sandbox, 'base');
  const abi = parseAbi(['function uniswapV3SwapCallback(int256, int256, bytes)']);
  const data = encodeFunctionData({ abi, functionName: 'uniswapV3SwapCallback', args: [1n, 1n, '0x'] });
  const calling = createNodeClient(chain.rpcUrl).call('eth_call', [{ to: chain.executor, data }, 'latest']);
  await expect(calling).rejects.toThrow(/revert/);
});
