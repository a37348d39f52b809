import { LensAnswerError } from '../chain/wordReader.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { type LensQuery, largestWord, sizeModes } from './encodeQuery.ts';
import { isBeyondSupply, type LensReading, type PoolReading } from './lensReading.ts';
import { toBaseUnits } from './parseSize.ts';

/**
 * Checks that a reading answers its query. If a node mixes up or invents replies, the next node is used and nothing is
 * cached. A wrong amount that is consistent with the rest is not detected here.
 * @throws {LensAnswerError}
 */
export function assertAnswer(reading: LensReading, query: LensQuery, candidatePools: readonly CandidatePool[]): void {
  assertSize(reading, query);
  assertPairs(reading, query);
  for (const { index, pair, candidatePool } of reading.pools.values()) {
    if (!reading.pairs[pair] || !candidatePools[candidatePool]) {
      throw new LensAnswerError(
        `Pool ${index} refers to candidate pool ${candidatePool} and pair ${pair}, which do not both exist.`,
      );
    }
  }
  for (const { pools } of reading.routes) assertRoute(reading, pools, query, candidatePools);
  const [winner, ...others] = reading.routes;
  if (!winner) return;
  if (reading.amountIn === 0n) throw new LensAnswerError('The reading has a route but no amount.');
  if (reading.depth < reading.amountIn)
    throw new LensAnswerError(`The depth of ${reading.depth} units is below the filled ${reading.amountIn} units.`);
  const misplaced = others.some(({ received }) => received === 0n || received > winner.received);
  if (winner.received === 0n || misplaced) throw new LensAnswerError('The first route does not return the most.');
  // Block gas limits and call gas limits of nodes are lower.
  if (!(winner.gas > 0 && winner.gas < 1e9))
    throw new LensAnswerError(`The gas of the route must be above 0 and below 1e9, got ${winner.gas}.`);
}

/** Checks that the amount follows from the size and the token's decimals. */
function assertSize(reading: LensReading, { mode, mantissa, scale }: LensQuery): void {
  const { tokenIn, tokenOut, amountIn, doesSizeOverflow } = reading;
  if (tokenIn.decimals === undefined || tokenOut.decimals === undefined) {
    if (amountIn !== 0n) throw new LensAnswerError(`An address without decimals must have no amount, got ${amountIn}.`);
    return;
  }
  const size = mantissa > largestWord ? largestWord : mantissa;
  const requested = mode === sizeModes.token ? toBaseUnits({ mantissa: size, scale }, tokenIn.decimals).amount : size;
  const expected = requested > largestWord ? 0n : requested;
  if (amountIn !== expected || doesSizeOverflow !== requested > largestWord) {
    throw new LensAnswerError(`${amountIn} units were priced, ${requested} were requested.`);
  }
}

function assertPairs(reading: LensReading, { tokenIn, tokenOut }: LensQuery): void {
  const { pairs, amountIn } = reading;
  const [direct] = pairs;
  if (isBeyondSupply(reading)) return;
  const sells = (pair: typeof direct) => pair?.tokenIn === tokenIn;
  if (amountIn === 0n) return;
  if (!sells(direct) || direct?.tokenOut !== tokenOut)
    throw new LensAnswerError(`The reading is not for ${tokenIn} to ${tokenOut}.`);
}

function assertRoute(
  reading: LensReading,
  indices: readonly number[],
  { tokenIn, tokenOut }: LensQuery,
  candidatePools: readonly CandidatePool[],
): void {
  let at: string = tokenIn;
  for (const index of indices) {
    const pool: PoolReading | undefined = reading.pools.get(index);
    const pair = pool && reading.pairs[pool.pair];
    if (!pool || !pair || !candidatePools[pool.candidatePool] || !(pool.feePips <= 0xffffff) || pair.tokenIn !== at) {
      throw new LensAnswerError(`Pool ${index} does not continue the route from ${at}.`);
    }
    at = pair.tokenOut;
  }
  if (at !== tokenOut) throw new LensAnswerError(`The route ends at ${at}, not at ${tokenOut}.`);
}
