import type { CandidatePool } from '../candidatePool.ts';
import { toAddress, toInt24, toUint24 } from '../eventWords.ts';
import { kinds, noHooks } from '../kinds.ts';
import { ownContract, type VenueFamily } from '../venueFamily.ts';
import type { BandReading, Direction, Mid, UniswapV3Row } from '../venueTypes.ts';
import { toBacked } from './toConcentrated.ts';

/** Uniswap v3, PancakeSwap v3 and other forks; Slipstream, whose factories look pools up by tick spacing. */
export const uniswapV3: VenueFamily<UniswapV3Row, 'v3' | 'slipstream'> = {
  kinds: [kinds.v3, kinds.slipstream],
  toCandidatePools(row) {
    const { family, venue, factory } = row;
    const candidatePool: CandidatePool = {
      family,
      venue,
      kind: kinds.v3,
      factory,
      fee: 0,
      tickSpacing: 0,
      hooks: noHooks,
    };
    return 'fees' in row
      ? row.fees.map((fee) => ({ ...candidatePool, fee }))
      : row.tickSpacings.map((tickSpacing) => ({ ...candidatePool, kind: kinds.slipstream, tickSpacing }));
  },
  bandMid: rangeMid,
  states: { v3: toBacked('uniswap-v3') },
  events: {
    /** PoolCreated(address indexed,address indexed,uint24 indexed fee,int24 tickSpacing,address pool) */
    v3: {
      topic: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
      currencyTopic: 1,
      kind: kinds.v3,
      decode: ([, , , fee = '0x0'], [, pool]) => ({ id: toAddress(pool), fee: toUint24(BigInt(fee)) }),
      toCandidatePoolFields: ({ fee }) => ({ fee }),
    },
    /** PoolCreated(address indexed,address indexed,int24 indexed tickSpacing,address pool) */
    slipstream: {
      topic: '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2',
      currencyTopic: 1,
      kind: kinds.slipstream,
      decode: ([, , , spacing = '0x0'], [pool]) => ({ id: toAddress(pool), tickSpacing: toInt24(BigInt(spacing)) }),
      toCandidatePoolFields: ({ tickSpacing }) => ({ tickSpacing }),
    },
  },
  feeByBlock: ({ candidatePool }) => (candidatePool.kind === kinds.slipstream ? 'module' : 'no'),
  addresses: ownContract,
  poolKey: () => undefined,
};

/** Mid from the square-root price; undefined without liquidity within 1 % of it, because no trade happens at that price. */
export function rangeMid({ price, bandOut }: BandReading, { zeroForOne }: Direction): Mid | undefined {
  if (price === 0n || bandOut === 0n) return undefined;
  const root = Number(price) / 2 ** 96;
  return { mid: zeroForOne ? root * root : 1 / (root * root), depth: Number(bandOut) };
}
