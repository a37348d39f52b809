import { approval, openExchange } from '../trades.ts';
import type { TradeSetup } from './holdings.ts';
import { balanceOf, sendUnlockedAndMine, succeeded, withRevert } from './traders.ts';

/** Exit liquidity in USD: the proceeds if the team, which no trap affects, sells its whole balance to each pool. */
export async function measureExitLiquidity({ node, environment, testToken }: TradeSetup): Promise<number> {
  const { deployer } = environment.testTokens;
  let usd = 0;
  for (const pool of testToken.pools) {
    usd += await withRevert(node, async () => {
      if (pool.venue === 'vault') return 0;
      const exchange = openExchange(testToken, pool, environment);
      const balance = await balanceOf(node, testToken.address, deployer);
      const before = await balanceOf(node, pool.counter, deployer);
      const sold = await sendUnlockedAndMine(node, deployer, [
        approval(testToken.address, exchange.spender),
        exchange.dump(balance, deployer),
      ]);
      if (!succeeded(sold)) return 0;
      const drawn = (await balanceOf(node, pool.counter, deployer)) - before;
      return (Number(drawn) / 10 ** pool.counterDecimals) * pool.counterUsd;
    });
  }
  return usd;
}
