import { approval, openExchange } from '../trades.ts';
import type { TradeSetup } from './holdings.ts';
import { balanceOf, sendUnlockedAndMine, succeeded, withRevert } from './traders.ts';

/** What the team, whom no trap hinders, draws from the pools by selling its whole stock, in USD. */
export async function measureExitLiquidity({ node, environment, testToken }: TradeSetup): Promise<number> {
  const { keeper } = environment.testTokens;
  let usd = 0;
  for (const pool of testToken.pools) {
    usd += await withRevert(node, async () => {
      if (pool.venue === 'vault') return 0;
      const exchange = openExchange(testToken, pool, environment);
      const stock = await balanceOf(node, testToken.address, keeper);
      const before = await balanceOf(node, pool.counter, keeper);
      const sold = await sendUnlockedAndMine(node, keeper, [
        approval(testToken.address, exchange.spender),
        exchange.dump(stock, keeper),
      ]);
      if (!succeeded(sold)) return 0;
      const drawn = (await balanceOf(node, pool.counter, keeper)) - before;
      return (Number(drawn) / 10 ** pool.counterDecimals) * pool.counterUsd;
    });
  }
  return usd;
}
