import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolState } from '../../engine/venues/poolTypes.ts';

/** A swap with the result of a published quoter or of an execution. */
export interface RecordedSwap {
  venue: string;
  state: PoolState;
  zeroForOne: boolean;
  amountIn: bigint;
  /** Absent if the pool cannot fill the whole amount. */
  amountOut?: bigint;
  /** Price, tick and liquidity, or both reserves, after the swap. Absent if they were not read. */
  after?: string;
}

/** The swaps that `npm run prove:pools -- --record tests/support/executedSwaps.json` wrote. */
export const recordedSwaps = JSON.parse(
  readFileSync(join(import.meta.dirname, 'executedSwaps.json'), 'utf8'),
  (_, value: unknown) => (typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value),
) as RecordedSwap[];
