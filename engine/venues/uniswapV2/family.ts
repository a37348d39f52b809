import { toAddress } from '../eventWords.ts';
import { kinds, noHooks } from '../kinds.ts';
import { toOpaquePair } from '../opaque.ts';
import { ownContract, type VenueFamily } from '../venueFamily.ts';
import type { BandReading, Mid, UniswapV2Row } from '../venueTypes.ts';

/** Uniswap v2 and its forks. */
export const uniswapV2: VenueFamily<UniswapV2Row, 'pair'> = {
  kinds: [kinds.v2],
  toCandidatePools: ({ family, venue, factory, feePips }) => [
    { family, venue, kind: kinds.v2, factory, fee: feePips, tickSpacing: 0, hooks: noHooks },
  ],
  bandMid: pairMid,
  states: {
    v2: ({ first: reserve0, second: reserve1, feePips }) => ({
      kind: 'pair',
      rule: 'uniswap-v2',
      reserve0,
      reserve1,
      feePips,
    }),
    unknown: toOpaquePair,
  },
  events: {
    /** PairCreated(address indexed,address indexed,address,uint256), of Camelot too; it contains no fee. */
    pair: {
      topic: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
      currencyTopic: 1,
      kind: kinds.v2,
      decode: (_, [pool]) => ({ id: toAddress(pool) }),
      toCandidatePoolFields: () => ({}),
    },
  },
  feeByBlock: () => 'no',
  addresses: ownContract,
  poolKey: () => undefined,
};

/** 1 − √0.99: the part of a reserve that leaves while the price of x·y=k falls 1 %. */
const bandShare = 1 - Math.sqrt(0.99);

/** Mid of a constant-product pair from its reserves; undefined when a side is empty. */
export function pairMid({ price, reserveOut }: BandReading): Mid | undefined {
  if (price === 0n || reserveOut === 0n) return undefined;
  return { mid: Number(reserveOut) / Number(price), depth: Number(reserveOut) * bandShare };
}
