import { maxUint256 } from 'viem';
import { encodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Step, TradePlan } from './simulationTypes.ts';

/** The result's name; see `weighTransferability`. */
export const realRouter = 'real-router';

/** Uniswap's Router02; the test beside compares them with its ABI. */
export const routerSelectors = {
  swapExactETHForTokensSupportingFeeOnTransferTokens: '0xb6f9de95',
  swapExactTokensForETHSupportingFeeOnTransferTokens: '0x791ac947',
} as const;

const forever = maxUint256;
/**
 * Divisors of the purchase's value, the largest sale first. Calldata is fixed before the purchase, so the amount cannot
 * follow the balance: the largest sale that the wallet can cover counts. The smallest is covered after a tax of 99 %.
 */
const divisors = [3n, 30n, 300n] as const;

/**
 * The same trade with nothing laid over anything: a wallet with some ether at the router that stands on the chain. A
 * token that looks for our stand-ins finds none here. `brief`: one sale. Undefined where the router is not one that we
 * can speak to.
 */
export function realRouterSteps(
  { pool, venue, spend, worth, funder }: TradePlan,
  trader: LowerAddress,
  { brief = false } = {},
): Step[] | undefined {
  if (pool.kind !== kinds.v2 || venue !== 'uniswap-v2' || funder !== null) return undefined;
  const { token, counter } = pool;
  const amounts = (brief ? divisors.slice(0, 1) : divisors)
    .map((divisor) => worth / divisor)
    .filter((amount) => amount > 0n);
  const salesAt = (at: 'later' | 'day') =>
    amounts.map(
      (amount): Step => ({
        what: 'route',
        at,
        value: 0n,
        sells: amount,
        data: encodeWords(routerSelectors.swapExactTokensForETHSupportingFeeOnTransferTokens, [
          ...[amount, 1n, 160n, trader, forever],
          ...[2n, token, counter],
        ]),
      }),
    );
  return [
    {
      what: 'route',
      at: 'purchase',
      value: spend,
      sells: 0n,
      data: encodeWords(routerSelectors.swapExactETHForTokensSupportingFeeOnTransferTokens, [
        ...[1n, 128n, trader, forever],
        ...[2n, counter, token],
      ]),
    },
    { what: 'approve', at: 'purchase', who: 'trader' },
    { what: 'balance', at: 'purchase', who: 'trader' },
    ...salesAt('later'),
    ...(brief ? [] : salesAt('day')),
  ];
}
