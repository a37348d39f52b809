import { numberToHex } from 'viem';
import type { Batch } from '../../chain/batch.ts';
import type { BlockPace } from '../../chain/blockPace.ts';
import type { Node } from '../../chain/node.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import { addTrades } from '../simulation/addTrades.ts';
import type { SimulationBase, TradePlan } from '../simulation/simulationTypes.ts';
import { firstWaiting, type Waits } from '../simulation/waiting.ts';
import type { HeadMemory, PretradeEnvironment, ReadOptions } from '../tokenReading.ts';

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

/** The block of a reading, for `pinBlock`. */
export const toPinned = ({ blockNumber, timestamp, parentHash }: ExitReading) => ({
  number: blockNumber,
  timestamp,
  parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
});

/** Adds separate simulations of every trade, from the block of a reading. `others`: as in `Waiting`. */
export function addTradesAt(
  batch: Batch,
  { data, head }: PretradeEnvironment,
  { now }: ReadOptions,
  exit: ExitReading,
  { plans, others }: { plans: readonly TradePlan[]; others: Waits },
  node: Node,
) {
  const wrapped = data.deployment.wrappedNative;
  return addTrades(
    batch,
    { plans, base: toBase(exit, head), wrapped, now, waiting: { ...firstWaiting, others } },
    node,
  );
}

/** Starts simulations from the block of a reading. */
export const toBase = (
  { blockNumber, timestamp, baseFee }: ExitReading,
  { coinbase, prevRandao }: Pick<HeadMemory, 'coinbase' | 'prevRandao'>,
): SimulationBase => ({
  block: numberToHex(blockNumber),
  number: blockNumber,
  timestamp,
  baseFee,
  coinbase,
  prevRandao,
});
