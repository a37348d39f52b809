import { sentence } from './context/sentence.ts';
import { realRouter } from './simulation/routers.ts';
import { mayReadBlockNumber, smallTrade } from './simulation/waiting.ts';
import type { TokenReading } from './tokenReading.ts';

/**
 * Why the simulated trades of a check show less than usual; undefined if they do not, or no trade was planned. A token that
 * counts blocks, or detects simulations, would look tradable.
 */
export function tradeGapOf({
  plans,
  scenarios,
  code,
}: Pick<TokenReading, 'plans' | 'scenarios' | 'code'>): string | undefined {
  if (plans.length === 0) return undefined;
  for (const result of scenarios) {
    const isNeeded = result.name === smallTrade || result.name === realRouter;
    if (isNeeded && result.status === 'unread') return sentence(`Trades could not be simulated: ${result.reason}`);
  }
  const small = scenarios.find(({ name }) => name === smallTrade);
  const isShort = small?.status === 'ran' && small.waits === 'never';
  return isShort && mayReadBlockNumber(code)
    ? 'The node did not simulate the blocks between a purchase and later sales, and transfers may read the block number.'
    : undefined;
}
