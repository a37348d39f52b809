import { maxUint256 } from 'viem';
import { encodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isSingleton, kinds } from '../../venues/kinds.ts';
import type { Step, TradePlan } from './simulationTypes.ts';

/** Permit2 has the same address on every chain. */
const permit2: LowerAddress = '0x000000000022d473030f116ddee9f6b43ac78ba3'; // 0xProject/0x-settler, VeloraDEX/paraswap-dex-lib

/** Router of a sale on Base, by venue. Each address is confirmed by the two named sources. */
const routers = {
  'uniswap-v2': '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v3': '0x2626664c2603336e57b271c5c0b26f421741e481', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v4': '0x6ff5693b99212da76ad316178a184ab56d299b43', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  aerodrome: '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43', // aerodrome-finance/contracts, DefiLlama/dimension-adapters
} as const satisfies Record<string, LowerAddress>;
const routerByVenue: Readonly<Record<string, LowerAddress>> = routers;

/** All routers of sales, and Permit2. */
export const routerAddresses: readonly LowerAddress[] = [...Object.values(routers), permit2];

/**
 * The router of a venue. A venue without one uses the router of Uniswap or Aerodrome for the same kind of pool: the
 * stand-in has the same code at either address.
 *
 * `puller`: the contract that transfers the token for the router (Permit2 on singletons), if any.
 */
export function routerOf(venue: string, kind: number): { router: LowerAddress; puller: LowerAddress | null } {
  if (isSingleton(kind)) return { router: routers['uniswap-v4'], puller: permit2 };
  const family = kind === kinds.v2 || kind === kinds.selfPricedPair ? 'uniswap-v2' : 'uniswap-v3';
  const solidly = kind === kinds.solidly || kind === kinds.solidlyPair;
  return { router: routerByVenue[venue] ?? routers[solidly ? 'aerodrome' : family], puller: null };
}

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
