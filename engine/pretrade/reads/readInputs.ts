import { numberToHex } from 'viem';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { HeadMemory } from '../predictHead.ts';
import type { TradeQuery } from '../simulation/addTrades.ts';
import type { SimulationBase, TradePlan } from '../simulation/simulationTypes.ts';
import type { PretradeEnvironment, ReadOptions } from '../tokenReading.ts';

/** The block of a reading, for `pinBlock`. */
export const toPinned = ({ blockNumber, timestamp, parentHash }: ExitReading) => ({
  number: blockNumber,
  timestamp,
  parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
});

/** The query of `addTrades`. */
export const toTrades = (
  { data }: PretradeEnvironment,
  { now }: ReadOptions,
  plans: readonly TradePlan[],
  base: SimulationBase,
  rest: Pick<TradeQuery, 'brief' | 'waiting'>,
): TradeQuery => ({ plans, base, wrapped: data.deployment.wrappedNative, now, ...rest });

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
