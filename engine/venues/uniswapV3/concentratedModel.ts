import { type PoolModel, perDirection } from '../poolModel.ts';
import { keptShare, onePercentLower, toUnits, usablePrice } from '../priceMaths.ts';
import { maxSegments, type Segment, SegmentCurve } from '../segmentCurve.ts';
import { type ConcentratedState, swapConcentrated, swapToPrice } from './concentrated.ts';

/** Liquidity in price ranges: within each, x · y = k of virtual reserves. */
export const concentratedModel: PoolModel<ConcentratedState> = {
  swap: swapConcentrated,
  price: priceOf,
  depth: perDirection((state, zeroForOne) => {
    const price = priceOf(state, zeroForOne);
    if (price === undefined) return 0n;
    return swapToPrice(state, zeroForOne, rootOfPrice(price * onePercentLower, zeroForOne)).amountOut;
  }),
  curve(state, zeroForOne) {
    const keep = keptShare(state.feePips, zeroForOne);
    return keep === undefined ? undefined : new SegmentCurve(keep, concentratedSegments(state, zeroForOne));
  },
  legGas: 110_000,
};

const two96 = 2 ** 96;

function priceOf({ sqrtPriceX96 }: ConcentratedState, zeroForOne: boolean): number | undefined {
  const root = Number(sqrtPriceX96) / two96;
  return usablePrice(zeroForOne ? root * root : 1 / (root * root));
}

function rootOfPrice(price: number, zeroForOne: boolean): bigint {
  return toUnits((zeroForOne ? Math.sqrt(price) : 1 / Math.sqrt(price)) * two96);
}

/** Part of the last segment that is used, so that rounding does not move an order beyond the last known tick. */
const margin = 0.999;

const halfTick = Math.log(1.0001) / 2;

/** The ranges from the current price on. Ends at unknown ticks or an inconsistent state. */
function* concentratedSegments(state: ConcentratedState, zeroForOne: boolean): Generator<Segment, undefined> {
  const { ticks, tick } = state;
  let price = Number(state.sqrtPriceX96) / two96;
  let liquidity = Number(state.liquidity);
  const last = zeroForOne ? state.knownFrom : state.knownTo;
  const step = zeroForOne ? -1 : 1;
  let index = firstBeyond(ticks, tick);
  if (zeroForOne) index--;
  for (let count = 0; liquidity >= 0 && count <= 4 * maxSegments; count++, index += step) {
    const next = ticks[index];
    const end = next?.index ?? last;
    const endPrice = Math.exp(end * halfTick);
    const moved = zeroForOne ? price - endPrice : endPrice - price;
    if (moved > 0 && liquidity > 0) {
      const across = (liquidity * moved) / (price * endPrice);
      const along = liquidity * moved;
      const keep = next ? 1 : margin;
      if (zeroForOne)
        yield {
          rIn: liquidity / price,
          rOut: liquidity * price,
          takes: across * keep,
          pays: along * keep,
          crossed: count,
        };
      else
        yield {
          rIn: liquidity * price,
          rOut: liquidity / price,
          takes: along * keep,
          pays: across * keep,
          crossed: count,
        };
    }
    if (!next) return;
    if (moved > 0) price = endPrice;
    liquidity += (zeroForOne ? -1 : 1) * Number(next.liquidityNet);
    // Rounding of doubles can leave a dust amount where the exact sum is zero.
    if (Math.abs(liquidity) < 1e-9 * Math.abs(Number(next.liquidityNet))) liquidity = 0;
  }
}

/** Index of the first tick above `tick`. */
function firstBeyond(ticks: ConcentratedState['ticks'], tick: number): number {
  let [low, high] = [0, ticks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle]?.index ?? 0) <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
