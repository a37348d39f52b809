import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { oneTransferTokenArtifact } from '../../contracts/artifacts/sandbox/OneTransferToken.ts';
import { sharesTokenArtifact } from '../../contracts/artifacts/sandbox/SharesToken.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import type { PoolPlan, SandboxChain } from '../../sandbox/index.ts';
import { createOrderRunner, type OrderRunner } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { codesOf, factsOf } from '../support/quoteAnswers.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn, withChainRestored } from './market.ts';

const base = useOpenChain('base');
const [plain, shares, grown, once] = [
  ledgerToken('PLAIN', 2, taxedTokenArtifact, [[0, 0, 0]]),
  ledgerToken('SHARES', 2, sharesTokenArtifact),
  ledgerToken('GROWN', 2, sharesTokenArtifact),
  ledgerToken('ONCE', 2, oneTransferTokenArtifact),
];

let chain: SandboxChain;
let runner: OrderRunner;
beforeAll(async () => {
  const pair = ({ symbol }: { symbol: string }, venue: PoolPlan['venue'], usd: number): PoolPlan => ({
    venue,
    pair: [symbol, 'USDC'],
    usd,
  });
  chain = await base.builder.list({
    tokens: [plain, shares, grown, once],
    pools: [
      ...[plain, shares, grown].map((token) => pair(token, 'uniswap-v2', 200_000)),
      pair(once, 'uniswap-v2', 200_000),
      pair(once, 'aerodrome', 150_000),
      pair(once, 'sushiswap-v2', 100_000),
    ],
  });
  // A share is worth 3.5 units then, so a transfer loses up to three.
  const data = encodeFunctionData({ abi: sharesTokenArtifact.abi, functionName: 'grow', args: [20_000n] });
  await base.builder.perform([{ to: grown.address, data }]);
  runner = await createOrderRunner(chain, base.trader);
});

const sell = (tokenIn: Address, size: string, tokenOut: Address = chain.usdc): Promise<QuoteAnswer> =>
  engineOn(chain).engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });

test('a token that loses one wei of each transfer has no TRANSFER_TAX, and its depth is that of the pool', async () => {
  for (const size of ['100', '100.000000000000000001', '77.123456789012345678']) {
    const answer = await sell(shares.address, size);
    expect(codesOf(answer)).not.toContain('TRANSFER_TAX');
    expect(answer.depthAtSize / (await sell(plain.address, size)).depthAtSize).toBeCloseTo(1, 6);
  }
});
test('a token that loses two wei of each transfer has TRANSFER_TAX', async () => {
  const taxed: QuoteAnswer[] = [];
  for (const rest of ['', '.000000000000000001', '.000000000000000002', '.000000000000000003']) {
    const answer = await sell(grown.address, `100${rest}`);
    const lost = answer.amountIn - (await arriving(answer.amountIn));
    expect(codesOf(answer).includes('TRANSFER_TAX'), `${rest} loses ${lost}`).toBe(lost > 1n);
    if (lost > 1n) taxed.push(answer);
  }
  expect(taxed.map((answer) => factsOf(answer, 'TRANSFER_TAX'))).toContainEqual({
    token: grown.address,
    side: 'sell',
    taxBps: 0,
  });
});

/** What a pool receives of a transfer of GROWN, by the pool's balance in a call. */
async function arriving(amount: bigint): Promise<bigint> {
  const pool = chain.pools.find(({ token0, token1 }) => [token0, token1].includes(grown.address))?.pool as Address;
  const node = createNodeClient(chain.rpcUrl);
  return withChainRestored(chain, async () => {
    const balance = async () => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [pool] });
      return hexToBigInt(await node.call<Hex>('eth_call', [{ to: grown.address, data }, 'latest']));
    };
    const before = await balance();
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [pool, amount] });
    await base.builder.perform([{ to: grown.address, data }]);
    return (await balance()) - before;
  });
}

test('a token with one transfer a block and sender is sold through one pool, and no flag names a pool that refuses it', async () => {
  const sale = await sell(once.address, '2000');
  expect(sale.route.legs).toHaveLength(1);
  const rejected = sale.flags.find(({ code }) => code === 'POOL_REJECTED');
  expect(rejected?.message).toBe(
    'A token reverted the transfer to or from 2 pools in a simulation, so the route omits them.',
  );
  expect(codesOf(sale)).not.toContain('NO_MID');
  expect(factsOf(sale, 'THIN_DEPTH')).toBeDefined();
  const { movements } = await runner.tryOrders([{ legs: sale.route.legs, amountIn: sale.amountIn }]);
  expect(movements.map(({ received }) => received)).toEqual([sale.amountOut]);
});

test('each pool pays such a token once a block, so a purchase is split and the second one does not fill', async () => {
  const purchase = await sell(chain.usdc, '2000', once.address);
  expect(purchase.route.legs.length).toBeGreaterThan(1);
  expect(purchase.worstCaseSlippageBps).toBe(10_000);
  expect(codesOf(purchase)).not.toContain('POOL_REJECTED');
  const { movements } = await runner.tryOrders([{ legs: purchase.route.legs, amountIn: purchase.amountIn }]);
  expect(movements.map(({ received }) => received)).toEqual([purchase.amountOut]);
});
