import { numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { executeRoute, startSandbox } from './index.ts';
import { createNodeClient } from './rpc/nodeClient.ts';
import { chainOf, walletOf } from './testing/findSeeded.ts';

test('behavior: starts only the requested chains', async () => {
  const sandbox = await startSandbox({ chains: ['polygon'] });
  expect(Object.keys(sandbox.chains)).toEqual(['polygon']);
  await sandbox.close();
});

test('behavior: mines five blocks a second with shared whole-second timestamps, and executeRoute waits for them', async () => {
  const sandbox = await startSandbox({ chains: ['arbitrum'], blockMs: { arbitrum: 200 } });
  const chain = chainOf(sandbox, 'arbitrum');
  const pool = chain.pools.find(
    ({ venue, token0, token1 }) =>
      [token0, token1].includes(chain.usdc) && [token0, token1].includes(chain.wrappedNative) && venue === 'uniswap-v3',
  );
  if (!pool) throw new TypeError('Arbitrum has no WETH/USDC pool on Uniswap v3.');
  const node = createNodeClient(chain.rpcUrl);
  const first = BigInt(await node.call<string>('eth_blockNumber'));
  const legs = [{ venue: pool.venue, pool: pool.pool, tokenIn: chain.wrappedNative, tokenOut: chain.usdc }];
  const execution = await executeRoute(chain, { legs, amountIn: 10n ** 18n, wallet: walletOf(sandbox, 'trader') });
  expect(execution.blockNumber).toBeGreaterThan(first);
  expect(execution.received).toBeGreaterThan(2_900_000_000n);

  const start = Number(await node.call<string>('eth_blockNumber'));
  await expect.poll(async () => Number(await node.call<string>('eth_blockNumber'))).toBeGreaterThanOrEqual(start + 15);
  await sandbox.mining.arbitrum?.pause();
  const times = await Promise.all(
    Array.from({ length: 15 }, async (_, index) => {
      const block = await node.call<{ timestamp: string }>('eth_getBlockByNumber', [
        numberToHex(start + 1 + index),
        false,
      ]);
      return Number(block.timestamp);
    }),
  );
  // Fifteen blocks take three seconds, longer on a busy machine, and never go back in time.
  expect(times).toEqual(times.toSorted((left, right) => left - right));
  expect(new Set(times).size).toBeLessThan(15);
  await sandbox.close();
});

test('default: wallets except payTo, and all contracts, have the same addresses in every run', async () => {
  const [one, two] = await Promise.all([startSandbox({ chains: ['base'] }), startSandbox({ chains: ['base'] })]);
  const published = ({ wallets }: typeof one) => wallets.filter(({ role }) => role !== 'payTo');
  expect(published(one)).toHaveLength(4);
  expect(published(one)).toEqual(published(two));
  expect(walletOf(one, 'payTo').address).not.toBe(walletOf(two, 'payTo').address);
  expect({ ...one.chains.base, rpcUrl: '' }).toEqual({ ...two.chains.base, rpcUrl: '' });
  await Promise.all([one.close(), two.close()]);
});
