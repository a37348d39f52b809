import { type LowerAddress, toLowerAddress } from '../../../engine/lowerAddress.ts';
import type { TradePlan } from '../../../engine/pretrade/simulation/simulationTypes.ts';
import { kinds } from '../../../engine/venues/kinds.ts';

export const address = (digit: string): LowerAddress => toLowerAddress(`0x${digit.repeat(40)}`);
/** The wrapped native token. */
export const wrapped = address('4');
/** Trades in a pair against the wrapped native token. */
export const plan: TradePlan = {
  pool: {
    kind: kinds.v2,
    pool: address('1'),
    token: address('2'),
    counter: wrapped,
    fee: 3000,
    tickSpacing: 0,
    hooks: address('0'),
    router: address('3'),
    puller: null,
  },
  venue: 'uniswap-v2',
  spend: 10n ** 18n,
  large: 10n ** 19n,
  worth: 10n ** 20n,
  funder: null,
  native: { amount: 10n ** 18n, wrapped },
};
/** The block that simulations start from. */
export const base = {
  block: '0x1',
  number: 1n,
  timestamp: 1_000n,
  baseFee: 1n,
  coinbase: undefined,
  prevRandao: undefined,
} as const;
