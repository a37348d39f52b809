import type { Address } from 'viem';
import type { Engine } from '../../engine/index.ts';
import type { OrderRunner } from '../../sandbox/index.ts';
import type { QuoteCase } from './cases.ts';
import { byShares } from './executed.ts';

/**
 * Executes a trade that is not reverted, by the engine's own route, of 0.01 % to 0.3 % of the held amount, so that prices,
 * dynamic fees and time change.
 */
export async function moveMarket(
  engine: Engine,
  runner: OrderRunner,
  { query, tokenIn }: QuoteCase,
  holdings: ReadonlyMap<Address, bigint>,
  random: () => number,
): Promise<void> {
  const amountIn = (holdings.get(tokenIn.address) ?? 0n) / BigInt(Math.ceil(10 ** (2.5 + 1.5 * random())));
  const whole = amountIn / 10n ** BigInt(tokenIn.decimals);
  if (whole === 0n) return;
  const answer = await engine.quote({ ...query, size: { tokenIn: `${whole}` } });
  if (answer.route.legs.length === 0) return;
  // Seconds later a dynamic fee changes amounts, so each leg sells its share of the received amount.
  await runner.keepOrder(
    { legs: byShares(answer.route.legs), amountIn: answer.amountIn },
    1 + Math.floor(random() * 20),
  );
}
