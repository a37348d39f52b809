import { maxUint256 } from 'viem';
import { encodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Step, TradePlan } from './simulationTypes.ts';

/** Name of the scenario; see `weighTransferability`. */
export const realRouter = 'real-router';

/** Selectors of Uniswap's Router02. engine/pretrade/selectors.test.ts compares them with the signatures. */
export const routerSelectors = {
  swapExactETHForTokensSupportingFeeOnTransferTokens: '0xb6f9de95',
  swapExactTokensForETHSupportingFeeOnTransferTokens: '0x791ac947',
} as const;

const noDeadline = maxUint256;
/**
 * Divisors of the expected purchase, for the sizes of the sales; largest sale first. Calldata is fixed before the
 * purchase, so a size cannot depend on the balance. The largest sale that the wallet can cover counts. Even after a tax
 * of 99 %, the wallet can cover the smallest.
 */
const divisors = [3n, 30n, 300n] as const;

/**
 * A trade through the chain's own router, so that a token cannot detect a stand-in for it. `brief`: only one sale. Native
 * coin pays for it, through a pair of the counter-asset if necessary. Undefined unless the venue is Uniswap v2.
 */
export function realRouterSteps(
  { pool, venue, worth, native }: TradePlan,
  trader: LowerAddress,
  { brief = false } = {},
): Step[] | undefined {
  if (pool.kind !== kinds.v2 || venue !== 'uniswap-v2' || !native) return undefined;
  const { token, counter } = pool;
  const path = native.wrapped === counter ? [counter, token] : [native.wrapped, counter, token];
  const amounts = (brief ? divisors.slice(0, 1) : divisors)
    .map((divisor) => worth / divisor)
    .filter((amount) => amount > 0n);
  const salesAt = (at: 'later' | 'day') =>
    amounts.map(
      (amount): Step => ({
        action: 'route',
        at,
        value: 0n,
        sells: amount,
        data: encodeWords(routerSelectors.swapExactTokensForETHSupportingFeeOnTransferTokens, [
          ...[amount, 1n, 160n, trader, noDeadline],
          ...[BigInt(path.length), ...path.toReversed()],
        ]),
      }),
    );
  return [
    {
      action: 'route',
      at: 'purchase',
      value: native.amount,
      sells: 0n,
      data: encodeWords(routerSelectors.swapExactETHForTokensSupportingFeeOnTransferTokens, [
        ...[1n, 128n, trader, noDeadline],
        ...[BigInt(path.length), ...path],
      ]),
    },
    { action: 'approve', at: 'purchase', account: 'trader' },
    { action: 'balance', at: 'purchase', account: 'trader' },
    ...salesAt('later'),
    ...(brief ? [] : salesAt('day')),
  ];
}
