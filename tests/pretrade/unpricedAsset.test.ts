import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { deployments } from '../../engine/index.ts';
import {
  createNodeClient,
  makerAddress,
  type OpenChain,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  startSandbox,
  type TokenPlan,
} from '../../sandbox/index.ts';
import { placed } from '../engine/ledgerToken.ts';
import { engineOn } from '../engine/market.ts';
import { checkerOn } from './checkOn.ts';
import { pairVenue, sellThrough } from './customMarket.ts';

/** A routing asset without a USD feed: anyone can create a thin pool with any price of it. */
const zora = deployments.base.routingAssets.find(({ symbol }) => symbol === 'ZORA')?.address ?? '0x';
const honest = (symbol: string, usd: number, address = placed(symbol, honestTokenArtifact, []).address) => {
  const { creation } = placed(symbol, honestTokenArtifact, [symbol, symbol, 18, makerAddress, 10n ** 30n]);
  return { symbol, usd, decimals: 18, about: symbol, address, placement: { address, creation } } satisfies TokenPlan;
};
/** DEEP has a pool of 20,000 USD, DRAINED one of 3 USD. */
const tokens = [honest('ZORA', 0.05, zora), honest('DEEP', 2), honest('DRAINED', 2)] as const;
const [, deep, drained] = tokens;

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({
    tokens,
    pools: [
      { venue: 'uniswap-v2', pair: ['DEEP', 'USDC'], usd: 20_000 },
      { venue: 'uniswap-v2', pair: ['DRAINED', 'USDC'], usd: 3 },
    ],
  });
});
afterAll(() => sandbox?.close());

const read = async () => {
  const { checker } = checkerOn(chain);
  const quote = await engineOn(chain).engine.quote({
    chain: 'base',
    tokenIn: deep.address,
    tokenOut: chain.usdc,
    size: { usd: '500' },
  });
  const [sound, dry] = await Promise.all(
    [deep, drained].map(({ address }) => checker.check({ chain: 'base', token: address })),
  );
  return {
    amountIn: quote.amountIn,
    usdPrice: quote.flags.find(({ code }) => code === 'USD_PRICE_SOURCE')?.facts,
    verdicts: [sound, dry].map((answer) => [answer?.verdict, answer?.triggers]),
    drainableUsd: dry?.risk_profile.liquidity.exitLiquidityUsd,
  };
};

test('an inflated pool against an asset without a feed changes neither the USD size nor the verdict', async () => {
  const before = await read();
  expect(before.verdicts).toEqual([
    ['clear', []],
    ['avoid', ['EXIT_LIQUIDITY_DRAINED']],
  ]);
  // A pool of 5 USD shows a ZORA price of 1,000 USD instead of 0.05. At that price DRAINED's new pool pays billions.
  await builder.list({
    // The tokens exist already.
    tokens: tokens.map(({ placement: _, ...token }) => token),
    pools: [
      { venue: 'uniswap-v3', tier: 500, pair: ['USDC', 'ZORA'], usd: 5, skewBps: -9_999.5 },
      { venue: 'uniswap-v2', pair: ['DRAINED', 'ZORA'], usd: 400_000 },
    ],
  });
  const after = await read();
  expect(after.amountIn).toBe(before.amountIn);
  expect(after.usdPrice).toEqual(before.usdPrice);
  expect(after.verdicts).toEqual(before.verdicts);
  // A real sale of the ZORA receives at most the balance of the thin pool.
  expect(after.drainableUsd).toBeLessThan(20);
});

test('a pool of that asset with a token that has a deep market is an exit, because a real sale pays', async () => {
  const before = await read();
  await builder.list({
    tokens: tokens.map(({ placement: _, ...token }) => token),
    pools: [{ venue: 'uniswap-v2', pair: ['DEEP', 'ZORA'], usd: 400_000, skewBps: 90_000 }],
  });
  const after = await read();
  expect(after.amountIn).toBe(before.amountIn);
  expect(after.usdPrice).toEqual(before.usdPrice);
  expect(after.verdicts).toEqual([
    ['clear', []],
    ['clear', []],
  ]);
  const path = [drained.address, zora, deep.address, chain.usdc];
  const venue = pairVenue(sandbox);
  const pools = await Promise.all(
    path.slice(1).map(async (token, index) => ({ pool: await findPair(venue, path[index] as Address, token) })),
  );
  const paid = await sellThrough({ sandbox, builder }, pools, path, 10n ** 24n);
  expect(Number(paid) / 1e6).toBeGreaterThan(50);
});

async function findPair(venue: ReturnType<typeof pairVenue>, a: Address, b: Address): Promise<Address> {
  const [token0, token1] = [a, b].sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)) as [Address, Address];
  const query = venue.locate({ venue: '', pair: ['', ''], usd: 1, token0, token1, amount0: 0n, amount1: 0n });
  if ('id' in query) throw new TypeError('A pair has an address.');
  const node = createNodeClient(chain.rpcUrl);
  return `0x${(await node.call<Hex>('eth_call', [{ to: query.to, data: query.data }, 'latest'])).slice(-40)}`;
}
