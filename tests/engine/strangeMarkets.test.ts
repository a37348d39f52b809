import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { burningTokenArtifact } from '../../contracts/artifacts/sandbox/BurningToken.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { createNodeClient, type SandboxChain } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn } from './market.ts';
import { poolsOnEachKind } from './poolsOnEachKind.ts';

/** Pools that anyone can open next to an honest market, which must not make its quotes worse. */

const factory = '0x33128a8fC17869897dcE68Ed026d694621f6FDfD';
const factoryAbi = parseAbi([
  'function createPool(address, address, uint24) returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
]);
const poolAbi = parseAbi(['function initialize(uint160 price)']);

const lonely = ledgerToken('LONELY', 2, taxedTokenArtifact, [[0, 0, 0]]);
const burningPools = poolsOnEachKind('BURNING', 50_000);
const overpriced = ledgerToken('LIED', 2, taxedTokenArtifact, [[0, 0, 0]]);
/** Two honest pools, and eight pools of 1 USD each at up to ten times the price. */
const overpricedPools = [
  ...['uniswap-v2', 'sushiswap-v2'].map((venue) => ({ venue, pair: ['LIED', 'USDC'] as const, usd: 50_000 })),
  ...[
    ...[100, 500, 3000, 10_000].map((tier) => ({ venue: 'uniswap-v3', tier })),
    ...[100, 500, 2500, 10_000].map((tier) => ({ venue: 'pancakeswap-v3', tier })),
  ].map((venue, index) => ({
    ...venue,
    pair: ['LIED', 'USDC'] as const,
    usd: 1,
    skewBps: 90_000 - index * 10_000,
    range: [0.9, 1.1] as const,
  })),
];
const burning = ledgerToken('BURNING', 2, burningTokenArtifact);

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [lonely, burning, overpriced],
    pools: [{ venue: 'uniswap-v2', pair: ['LONELY', 'WETH'], usd: 500_000 }, ...burningPools, ...overpricedPools],
  });
});

/** Creates a pool without liquidity, and initializes it if a price is given. */
async function openBare(tokens: readonly [Address, Address], tier: number, price?: bigint): Promise<void> {
  const create = encodeFunctionData({ abi: factoryAbi, functionName: 'createPool', args: [...tokens, tier] });
  await opened.builder.perform([{ to: factory, data: create }]);
  if (price === undefined) return;
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [...tokens, tier] });
  const result = await createNodeClient(chain.rpcUrl).call<Hex>('eth_call', [{ to: factory, data }, 'latest']);
  const pool: Address = `0x${result.slice(-40)}`;
  await opened.builder.perform([
    { to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: 'initialize', args: [price] }) },
  ]);
}

test('behavior: pools of a hop without liquidity or price do not change the direct route', async () => {
  const { engine } = engineOn(chain);
  const orders = [
    [lonely.address, chain.wrappedNative],
    [chain.wrappedNative, lonely.address],
  ] as const;
  const quote = () =>
    Promise.all(
      orders.map(([tokenIn, tokenOut]) => engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '2' } })),
    );
  const before = await quote();
  for (const tier of [100, 500, 3000]) await openBare([lonely.address, chain.usdc], tier);
  await openBare([lonely.address, chain.usdc], 10_000, 1n << 96n);
  const after = await quote();
  const codes = ({ flags }: (typeof after)[number]) => flags.map(({ code }) => code);
  expect(after.map(({ amountOut, depthAtSize }) => ({ amountOut, depthAtSize }))).toEqual(
    before.map(({ amountOut, depthAtSize }) => ({ amountOut, depthAtSize })),
  );
  // A failed lens would show as the fallback to published quoters.
  for (const answer of after) expect(codes(answer)).not.toContain('QUOTERS_ONLY');
});

test('behavior: a token that burns gas in larger sales does not prevent an answer', async () => {
  const { engine } = engineOn(chain);
  const quote = () =>
    engine.quote({ chain: 'base', tokenIn: burning.address, tokenOut: chain.usdc, size: { tokenIn: '150' } });
  const { amountOut } = await quote();
  for (let burnt = 0n; burnt < 3_000_000n; burnt += 100_000n) {
    const args = [300n * 10n ** 18n, burnt] as const;
    const data = encodeFunctionData({ abi: burningTokenArtifact.abi, functionName: 'arm', args });
    await opened.builder.perform([{ to: burning.address, data }]);
    const answer = await quote();
    const codes = answer.flags.map(({ code }) => code);
    expect(answer.amountOut).toBeGreaterThanOrEqual(amountOut);
    expect(codes, `${burnt} burnt`).not.toContain('QUOTERS_ONLY');
  }
});

test('behavior: thin pools with a better price do not hide a split', async () => {
  const { engine } = engineOn(chain);
  const size = { tokenIn: '1000' };
  const { flags } = await engine.quote({ chain: 'base', tokenIn: overpriced.address, tokenOut: chain.usdc, size });
  expect(flags.find(({ code }) => code === 'SPLIT_ROUTE')?.facts?.gainBps).toBeGreaterThan(150);
});
