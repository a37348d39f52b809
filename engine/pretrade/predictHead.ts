import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { SimulationBase } from './simulation/simulationTypes.ts';

/** The last head seen, from which the current one is predicted. */
export interface HeadMemory {
  number: bigint;
  timestamp: bigint;
  baseFee: bigint;
  /** The last block's `coinbase`. */
  coinbase: LowerAddress | undefined;
  /** The last block's `prevRandao`. */
  prevRandao: Hex | undefined;
  /** Milliseconds since the epoch at which it was read. */
  seenAt: number;
}

/**
 * Predicts the head from Base's block time of two seconds, and adds four seconds: a simulated block must not lie before the
 * real head.
 */
export function predictHead({ number, timestamp, seenAt, ...rest }: HeadMemory, now: number): SimulationBase {
  const seconds = BigInt(Math.max(0, Math.floor((now - seenAt) / 1000))) + 4n;
  const { baseFee, coinbase, prevRandao } = rest;
  return {
    block: 'latest',
    number: number + seconds / 2n,
    timestamp: timestamp + seconds,
    baseFee,
    coinbase,
    prevRandao,
  };
}
