import type { BlockPace } from '../chain/blockPace.ts';
import type { SimulationBase } from './simulation/simulationTypes.ts';

/** The last head seen, from which the current one is predicted. */
export interface HeadMemory extends Omit<SimulationBase, 'block'> {
  /** Milliseconds since the epoch at which it was read. */
  seenAt: number;
}

/** A simulated block must not lie before the real head, whose number and time are known only after the simulation. */
const marginSeconds = 4;
/** The clock counts if it is ahead of the prediction by less: a node was behind. By more, the chain has another time. */
const longestLagSeconds = 60;

/** Predicts the head: the time since the last one, and the blocks that the chain produces in that time. */
export function predictHead(
  { number, timestamp, seenAt, ...rest }: HeadMemory,
  now: number,
  { blocksIn }: Pick<BlockPace, 'blocksIn'>,
): SimulationBase {
  const seconds = Math.max(0, Math.floor((now - seenAt) / 1000)) + marginSeconds;
  const predicted = timestamp + BigInt(seconds);
  const clock = BigInt(Math.floor(now / 1000));
  const isBehindClock = clock > predicted && clock - predicted < longestLagSeconds;
  return {
    ...rest,
    block: 'latest',
    number: number + blocksIn(seconds),
    timestamp: isBehindClock ? clock : predicted,
  };
}
