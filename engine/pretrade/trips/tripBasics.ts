import { numberToHex } from 'viem';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { TradePlan } from '../simulation/planScenarios.ts';
import type { SimulationBase } from '../simulation/simulationTypes.ts';
import type { PretradeWorld, ReadOptions } from '../tokenReading.ts';

/** What the exit lens saw of its block. */
export const toSeen = ({ blockNumber, timestamp, parentHash }: ExitReading) => ({
  number: blockNumber,
  timestamp,
  parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
});

export const toTrades = (
  { data, withoutSimulation }: PretradeWorld,
  { token }: ReadOptions,
  plans: readonly TradePlan[],
  base: SimulationBase,
) => ({ token, plans, base, wrapped: data.deployment.wrappedNative, withoutSimulation });

/** Simulations that start from the block of a reading. */
export const toBase = ({ blockNumber, timestamp, baseFee }: ExitReading): SimulationBase => ({
  block: numberToHex(blockNumber),
  number: blockNumber,
  timestamp,
  baseFee,
});
