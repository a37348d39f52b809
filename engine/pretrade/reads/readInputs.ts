import { numberToHex } from 'viem';
import type { Batch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { HeadMemory } from '../predictHead.ts';
import { addTrades } from '../simulation/addTrades.ts';
import type { SimulationBase, TradePlan } from '../simulation/simulationTypes.ts';
import { firstWaiting, type Waits } from '../simulation/waiting.ts';
import type { PretradeEnvironment, ReadOptions } from '../tokenReading.ts';

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
