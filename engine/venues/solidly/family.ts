import { toAddress, toUint24 } from '../eventWords.ts';
import { kinds, noHooks } from '../kinds.ts';
import { toOpaquePair } from '../opaque.ts';
import type { PoolEntry } from '../poolEntry.ts';
import { pairMid } from '../uniswapV2/family.ts';
import type { PairState } from '../uniswapV2/pair.ts';
import { ownContract, type VenueFamily } from '../venueFamily.ts';
import type { BandReading, Direction, Mid, SolidlyRow } from '../venueTypes.ts';
import type { StableState } from './stable.ts';
import { priceAt, stableDepth } from './stableModel.ts';

const kindOf = {
  'getPool(a,b,stable)': kinds.solidly,
  'getPair(a,b,stable)': kinds.solidlyPair,
  'getPair(a,b)': kinds.selfPricedPair,
} as const;

/** Solidly and its forks, with volatile and stable pairs. A look-up of Camelot v2 does not show a pair's curve. */
export const solidly: VenueFamily<SolidlyRow, 'solidly'> = {
  kinds: [kinds.solidly, kinds.solidlyPair, kinds.selfPricedPair],
  toCandidatePools({ family, venue, factory, lookUp }) {
    // In pools of this family, `fee` 1 marks the stable curve.
    const curves = lookUp === 'getPair(a,b)' ? [0] : [0, 1];
    return curves.map((fee) => ({ family, venue, kind: kindOf[lookUp], factory, fee, tickSpacing: 0, hooks: noHooks }));
  },
  bandMid(reading, direction, { kind, fee }) {
    // The reserves of a Camelot v2 pair do not show which curve it uses.
    if (kind === kinds.selfPricedPair) return undefined;
    return fee === 1 ? stableMid(reading, direction) : pairMid(reading);
  },
  states: {
    solidly: toVolatile('solidly'),
    camelot: toVolatile('camelot'),
    solidlyStable: toStable('solidly'),
    camelotStable: toStable('camelot'),
    unknown: toOpaquePair,
  },
  events: {
    /** PoolCreated(address indexed,address indexed,bool indexed stable,address pool,uint256) */
    solidly: {
      topic: '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e',
      currencyTopic: 1,
      kind: kinds.solidly,
      decode: ([, , , stable = '0x0'], [pool]) => ({ id: toAddress(pool), fee: toUint24(BigInt(stable)) }),
      toCandidatePoolFields: ({ fee }) => ({ fee }),
    },
  },
  feeByBlock: () => 'no',
  addresses: ownContract,
  poolKey: () => undefined,
};

function toVolatile(rule: PairState['rule']) {
  return ({ first: reserve0, second: reserve1, feePips }: PoolEntry): PairState => ({
    kind: 'pair',
    rule,
    reserve0,
    reserve1,
    feePips,
  });
}

/** `third` and `fourth` are 10^decimals of the tokens. */
function toStable(rule: StableState['rule']) {
  return ({ first: reserve0, second: reserve1, third, fourth, feePips }: PoolEntry): StableState | undefined => {
    if (third === 0n || fourth === 0n) return undefined;
    return { kind: 'stable', rule, reserve0, reserve1, feePips, unit0: third, unit1: fourth };
  };
}

/** Mid of the curve x³y + xy³ = k. */
export function stableMid(
  { price: reserveIn, reserveOut }: BandReading,
  { decimalsIn, decimalsOut }: Direction,
): Mid | undefined {
  if (reserveIn === 0n || reserveOut === 0n) return undefined;
  const x = Number(reserveIn) / 10 ** decimalsIn;
  const y = Number(reserveOut) / 10 ** decimalsOut;
  return { mid: priceAt(y / x) * 10 ** (decimalsOut - decimalsIn), depth: stableDepth(x, y) * 10 ** decimalsOut };
}
