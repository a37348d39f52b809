import { approval, openExchange } from '../trades.ts';
import type { TradeSetup } from './holdings.ts';
import { balanceOf, sendUnlockedAndMine, succeeded, withRevert } from './traders.ts';

/** What the team, whom no trap hinders, draws from the pools by selling its whole stock, in USD. */
export async function measureExitLiquidity({ node, world, testToken }: TradeSetup): Promise<number> {
  const { keeper } = world.testTokens;
  let usd = 0;
  for (const place of testToken.pools) {
    usd += await withRevert(node, async () => {
      if (place.venue === 'vault') return 0;
      const exchange = openExchange(testToken, place, world);
      const stock = await balanceOf(node, testToken.address, keeper);
      const before = await balanceOf(node, place.counter, keeper);
      const sold = await sendUnlockedAndMine(node, keeper, [
        approval(testToken.address, exchange.spender),
        exchange.dump(stock, keeper),
      ]);
      if (!succeeded(sold)) return 0;
      const drawn = (await balanceOf(node, place.counter, keeper)) - before;
      return (Number(drawn) / 10 ** place.counterDecimals) * place.counterUsd;
    });
  }
  return usd;
}
