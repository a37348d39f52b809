import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { SimulationBase } from './simulation/simulationTypes.ts';

/** The last head seen, from which the current one is predicted. */
export interface HeadMemory {
  number: bigint;
  timestamp: bigint;
  baseFee: bigint;
  /** The last block's producer (`coinbase`) and its `prevRandao`. */
  maker: LowerAddress | undefined;
  random: Hex | undefined;
  seenAt: number;
}

/** Base makes a block every two seconds; a little ahead, because a simulated block may not lie before the real head. */
export function predictHead({ number, timestamp, seenAt, ...rest }: HeadMemory, now: number): SimulationBase {
  const seconds = BigInt(Math.max(0, Math.floor((now - seenAt) / 1000))) + 4n;
  const { baseFee, maker, random } = rest;
  return { block: 'latest', number: number + seconds / 2n, timestamp: timestamp + seconds, baseFee, maker, random };
}
