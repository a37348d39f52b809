import { type ChainCall, isChainError, toQuantity } from '../../chainCall.ts';
import { shareRead } from '../../shareRead.ts';
import { header } from './nodeAnswers.ts';

/** Blocks between the two headers: timestamps are whole seconds, and one second may have five blocks. */
const distance = 1_000n;
const lifeMs = 60_000;
/** The interval of the fastest chain, used while this chain's cannot be measured: too many blocks are searched, not too few. */
const fastestMs = 200;

/** Converts times to numbers of blocks, because node requests name blocks. */
export interface BlockInterval {
  /**
   * Mean milliseconds between the latest blocks, measured from two headers; 200 if the node lacks the earlier one.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the latest header cannot be read
   */
  readMs(): Promise<number>;
}

/**
 * Measures the block interval of a chain instead of assuming it from the chain's name: Base changed from two seconds to
 * 200 ms in 2026, Polygon to less than two seconds. Cached for a minute.
 */
export function createBlockInterval(call: ChainCall): BlockInterval {
  const shared = shareRead(async () => {
    const latest = await call('eth_getBlockByNumber', ['latest', false], header);
    const blocks = latest.number < distance ? latest.number : distance;
    if (blocks === 0n) return fastestMs;
    try {
      const earlier = await call('eth_getBlockByNumber', [toQuantity(latest.number - blocks), false], header);
      return toInterval(earlier, latest);
    } catch (error) {
      if (isChainError(error)) return fastestMs;
      throw error;
    }
  }, lifeMs);
  return { readMs: shared.read };
}

/** At least 1 ms: all blocks of a local chain may have one timestamp. */
const toInterval = (
  earlier: { number: bigint; timestampMs: bigint },
  latest: { number: bigint; timestampMs: bigint },
): number => Math.max(1, Number(latest.timestampMs - earlier.timestampMs) / Number(latest.number - earlier.number));

/** The number of blocks that a chain produces in this time, rounded up. */
export const blocksIn = (seconds: number, blockMs: number): bigint => BigInt(Math.ceil((seconds * 1_000) / blockMs));
