import type { Hex } from 'viem';
import { toAddress, toInt24, toUint24 } from '../eventWords.ts';
import { kinds, nativeCurrency, noHooks } from '../kinds.ts';
import { rangeMid } from '../uniswapV3/family.ts';
import { toConcentrated } from '../uniswapV3/toConcentrated.ts';
import { ownContract, type VenueFamily } from '../venueFamily.ts';
import type { UniswapV4Row } from '../venueTypes.ts';
import { toPoolKey } from './poolKey.ts';

/** Uniswap v4: one manager holds the tokens of all pools, which have keys and may have hooks. */
export const uniswapV4: VenueFamily<UniswapV4Row, 'v4'> = {
  kinds: [kinds.v4, kinds.v4Native],
  /** Two candidate pools for each shape: v4 pools trade the wrapped token or the native currency itself. */
  toCandidatePools: ({ family, venue, manager, shapes }, extraShapes) =>
    [...shapes, ...extraShapes].flatMap(({ fee, tickSpacing, hooks = noHooks }) =>
      [kinds.v4, kinds.v4Native].map((kind) => ({ family, venue, kind, factory: manager, fee, tickSpacing, hooks })),
    ),
  /** For a pool with a hook, the measured band includes the hook's effect. */
  bandMid: rangeMid,
  states: {
    v4: (entry) => toConcentrated('uniswap-v4', entry),
    hook: ({ first, second, feePips }) => ({
      kind: 'opaque',
      reason: 'hook',
      sqrtPriceX96: first,
      liquidity: second,
      feePips: feePips[0],
    }),
  },
  events: {
    /**
     * Initialize(bytes32 indexed id,address indexed,address indexed,uint24 fee,int24 tickSpacing,address
     * hooks,uint160,int24)
     */
    v4: {
      topic: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
      currencyTopic: 2,
      kind: kinds.v4,
      decode: ([, id = '0x'], [fee, spacing, hooks]) => ({
        id,
        fee: toUint24(fee),
        tickSpacing: toInt24(spacing),
        hooks: toAddress(hooks),
      }),
      toCandidatePoolFields: ({ currency0, fee, tickSpacing, hooks }) => ({
        kind: currency0 === nativeCurrency ? kinds.v4Native : kinds.v4,
        fee,
        tickSpacing,
        hooks,
      }),
    },
  },
  // A hook that acts on swaps can set the fee, or take a part.
  feeByBlock: (_, state) => (state.kind === 'opaque' ? 'yes' : 'no'),
  addresses: {
    ...ownContract,
    toId: (word): Hex => `0x${word}`,
    swapsAt: ({ candidatePool }) => candidatePool.factory,
    otherOf: ({ candidatePool }) => candidatePool.hooks,
  },
  poolKey: toPoolKey,
};
