import type { Slot } from '../venues/venueTypes.ts';
import { type LensQuestion, largestWord, sizeModes } from './encodeAsk.ts';
import { isBeyondSupply, type LensReading, type PoolReading } from './lensReading.ts';
import { toBaseUnits } from './parseSize.ts';
import { LensAnswerError } from './wordReader.ts';

/**
 * Checks that a reading answers its question. If a node confuses or invents replies, the next node is used and nothing is
 * cached. A wrong amount that is consistent with the rest is not detected here.
 * @throws {LensAnswerError}
 */
export function assertAnswer(reading: LensReading, question: LensQuestion, slots: readonly Slot[]): void {
  assertSize(reading, question);
  if (reading.holder > 1) throw new LensAnswerError(`holder must be 0 or 1, got ${reading.holder}.`);
  assertPairs(reading, question);
  for (const { index, pair, slot } of reading.pools.values()) {
    if (!reading.pairs[pair] || !slots[slot]) {
      throw new LensAnswerError(`Pool ${index} lies in slot ${slot}, pair ${pair}.`);
    }
  }
  for (const { pools } of reading.candidates) assertWay(reading, pools, question, slots);
  const [winner, ...others] = reading.candidates;
  if (!winner) return;
  if (reading.amountIn === 0n) throw new LensAnswerError('There is a way, and no amount.');
  if (reading.depth < reading.amountIn) throw new LensAnswerError('The depth is less than what is filled.');
  const misplaced = others.some(({ received }) => received === 0n || received > winner.received);
  if (winner.received === 0n || misplaced) throw new LensAnswerError('The best way is not the best.');
  // No block holds more, and no node lets a call take it.
  if (!(winner.gas > 0 && winner.gas < 1e9)) throw new LensAnswerError(`The way took ${winner.gas} gas.`);
}

/** The amount follows from the size and the token's decimals. */
function assertSize(reading: LensReading, { mode, mantissa, scale }: LensQuestion): void {
  const { tokenIn, tokenOut, amountIn, sizeOverflow } = reading;
  if (tokenIn.decimals === undefined || tokenOut.decimals === undefined) {
    if (amountIn !== 0n) throw new LensAnswerError('What is no token has no amount.');
    return;
  }
  const told = mantissa > largestWord ? largestWord : mantissa;
  const asked = mode === sizeModes.token ? toBaseUnits({ mantissa: told, scale }, tokenIn.decimals).amount : told;
  const expected = asked > largestWord ? 0n : asked;
  if (amountIn !== expected || sizeOverflow !== asked > largestWord) {
    throw new LensAnswerError(`${amountIn} units were priced, ${asked} asked for.`);
  }
}

function assertPairs(reading: LensReading, { tokenIn, tokenOut }: LensQuestion): void {
  const { pairs, amountIn } = reading;
  const [direct] = pairs;
  if (isBeyondSupply(reading)) return;
  const sells = (pair: typeof direct) => isSame(pair?.tokenIn, tokenIn);
  if (amountIn === 0n) return;
  if (!sells(direct) || !isSame(direct?.tokenOut, tokenOut)) throw new LensAnswerError('An answer about other tokens.');
}

function assertWay(
  reading: LensReading,
  indices: readonly number[],
  { tokenIn, tokenOut }: LensQuestion,
  slots: readonly Slot[],
): void {
  let at: string = tokenIn;
  for (const index of indices) {
    const pool: PoolReading | undefined = reading.pools.get(index);
    const pair = pool && reading.pairs[pool.pair];
    if (!pool || !pair || !slots[pool.slot] || !(pool.feePips <= 0xffffff) || !isSame(pair.tokenIn, at)) {
      throw new LensAnswerError(`No way leads through pool ${index}.`);
    }
    at = pair.tokenOut;
  }
  if (!isSame(at, tokenOut)) throw new LensAnswerError('A way ends at another token.');
}

const isSame = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
