import { type Address, type Hex, hexToNumber } from 'viem';
import { expect, test } from 'vitest';
import { createOrderRunner } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { useBase } from '../support/useBase.ts';
import { engineOn, tokenOf } from './market.ts';

// Integral's default plugin sets a pool's fee before each swap, by the price movement of the last day.

const base = useBase();

/** The pool's `fee()` at the latest block, in pips. */
async function readFee(pool: Address): Promise<number> {
  return hexToNumber(
    await createNodeClient(base.chain.rpcUrl).call<Hex>('eth_call', [{ to: pool, data: '0xddca3f43' }, 'latest']),
  );
}

test('behavior: quotes pay to the wei while Algebra’s fee follows the prices of the last day', async () => {
  const { engine } = engineOn(base.chain);
  const runner = await createOrderRunner(base.chain, base.trader);
  const [palm, usdc] = [tokenOf(base.chain, 'PALM').address, base.chain.usdc];
  const fees = new Set<number>();
  for (let round = 0; round < 6; round += 1) {
    const [tokenIn, tokenOut, size] = round % 2 === 0 ? [usdc, palm, '70000'] : ([palm, usdc, '4000'] as const);
    const quote = await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });
    const order = { legs: quote.route.legs, amountIn: quote.amountIn };
    const { movements } = await runner.tryOrders([order]);
    expect(movements.map(({ received }) => received)).toEqual([quote.amountOut]);
    // Large orders are split: another pool of PALM trades WETH.
    const own = quote.route.legs.find((leg) => leg.tokenIn === tokenIn && leg.tokenOut === tokenOut);
    if (!own) throw new TypeError('No leg between PALM and USDC.');
    const fee = await readFee(own.pool as Address);
    expect(own.feePips).toBe(fee);
    fees.add(fee);
    // Half an hour later the fee differs, so legs without amounts sell the received amount.
    const legs = order.legs.map(({ amountIn: _, ...leg }) => leg);
    await runner.keepOrder({ ...order, legs }, 1_800);
  }
  // The plugin's lowest and highest fee.
  expect([...fees]).toEqual([100, 15_000]);
});
