import type { BlockRef } from '../../chain/blockRef.ts';
import type { LensReading, PairReading, PoolReading } from '../answer/lensReading.ts';
import type { QuoterSize } from './quoterSize.ts';
import { multiples, type PoolFills } from './readQuoterPools.ts';

/** The results of the quoters' reads. */
interface QuoterReads {
  block: BlockRef;
  tokenIn: LensReading['tokenIn'];
  tokenOut: LensReading['tokenOut'];
  size: QuoterSize;
  pair: PairReading;
  pools: readonly PoolFills[];
}

/** Converts quoters' answers to a lens reading; fields that they do not return are empty. Pure. */
export function toQuoterReading({ block, tokenIn, tokenOut, size, pair, pools }: QuoterReads): LensReading {
  const { amountIn } = pair;
  const best = pools
    .filter(({ fills }) => fills[0]?.status === 'filled')
    .sort((a, b) => (receivedOf(b, 0) > receivedOf(a, 0) ? 1 : -1));
  return {
    tokenIn,
    tokenOut,
    isSizeTruncated: size.cut,
    doesSizeOverflow: size.overflow,
    isDepthLowerBound: false,
    blockNumber: block.number,
    timestamp: block.timestamp,
    parentHash: block.parentHash,
    amountIn,
    payerFunded: false,
    feed: size.feed,
    sequencer: size.sequencer,
    twice: best[0]?.fills[1] ?? { status: 'not-requested', received: 0n },
    depth: depthOf(pools, amountIn),
    supply: 0n,
    pairs: [pair],
    pools: new Map(pools.map((each) => [each.pool.index, toPool(each, amountIn)])),
    routes: best.map((each) => ({ pools: [each.pool.index], received: receivedOf(each, 0), gas: 0 })),
    gasUsed: 0n,
  };
}

const receivedOf = ({ fills }: PoolFills, step: number) => fills[step]?.received ?? 0n;

function toPool({ pool, fills, price, reserveOut, bandOut }: PoolFills, amountIn: bigint): PoolReading {
  const { status, received } = fills[0] ?? { status: 'unread' as const, received: 0n };
  return {
    index: pool.index,
    pair: 0,
    candidatePool: pool.index,
    status,
    bandStatus: bandOut === undefined ? 'unread' : 'filled',
    pool: pool.pool,
    used: status === 'filled' ? amountIn : 0n,
    nominal: received,
    received,
    arrived: status === 'filled' ? amountIn : 0n,
    reason: '0x00000000',
    feePips: pool.candidatePool.fee,
    price,
    reserveOut,
    bandIn: 0n,
    bandOut: bandOut ?? 0n,
  };
}

/** The largest measured size at which a pool still pays within 1 % of the best price: a lower bound. */
function depthOf(pools: readonly PoolFills[], amountIn: bigint): bigint {
  const bestAt = multiples.map((_, step) => {
    const received = pools.map((each) => receivedOf(each, step));
    return received.sort((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
  });
  const [best = 0n] = bestAt;
  if (best === 0n) return 0n;
  const within = multiples.filter((multiple, step) => (bestAt[step] ?? 0n) * 100n >= best * multiple * 99n);
  return amountIn * (within.at(-1) ?? 1n);
}
