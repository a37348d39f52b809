import { toAddress } from '../eventWords.ts';
import { kinds, noHooks } from '../kinds.ts';
import { toOpaqueRange } from '../opaque.ts';
import { rangeMid } from '../uniswapV3/family.ts';
import { toBacked } from '../uniswapV3/toConcentrated.ts';
import { ownContract, type VenueFamily } from '../venueFamily.ts';
import type { AlgebraRow } from '../venueTypes.ts';

/** Algebra v1, v1.9 and Integral, whose plugins may change the fee. */
export const algebra: VenueFamily<AlgebraRow, 'algebra' | 'algebra-custom'> = {
  kinds: [kinds.algebra],
  toCandidatePools: ({ family, venue, factory }) => [
    { family, venue, kind: kinds.algebra, factory, fee: 0, tickSpacing: 0, hooks: noHooks },
  ],
  bandMid: rangeMid,
  states: {
    algebraV1: toBacked('algebra-v1'),
    algebraV19: toBacked('algebra-v1'),
    algebraIntegral: toBacked('algebra-integral'),
    plugin: toOpaqueRange('plugin'),
    unknown: toOpaqueRange('unknown-curve'),
  },
  events: {
    /** Pool(address indexed,address indexed,address pool) */
    algebra: {
      topic: '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db',
      currencyTopic: 1,
      kind: kinds.algebra,
      decode: (_, [pool]) => ({ id: toAddress(pool) }),
      toCandidatePoolFields: () => ({}),
    },
    /**
     * CustomPool(address indexed deployer,address indexed,address indexed,address pool): a pool of Integral besides the
     * pair's default one. The factory returns it only to a caller that passes its deployer.
     */
    'algebra-custom': {
      topic: '0x8a5f030f5fc13b04a1e4ef7c47177e3d76b0e80e1d9be9843db37caa5b7b9b8f',
      currencyTopic: 2,
      kind: kinds.algebra,
      isCustom: true,
      decode: (_, [pool]) => ({ id: toAddress(pool) }),
      toCandidatePoolFields: () => ({}),
    },
  },
  // Algebra v1 and Integral's plugins set the fee with the first swap of a block, by the prices of the last day.
  feeByBlock: (_, state) =>
    state.kind === 'opaque' || (state.kind === 'concentrated' && state.rule === 'algebra-v1') ? 'yes' : 'no',
  addresses: ownContract,
  poolKey: () => undefined,
};
