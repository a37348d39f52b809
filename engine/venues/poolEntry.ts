import type { PoolStatus } from './poolStatus.ts';
import type { PoolRef } from './poolTypes.ts';
import type { StateForm } from './stateForms.ts';
import type { Tick } from './uniswapV3/concentrated.ts';

/** A pool's entry in the answer of a state lens, with its ticks. */
export interface PoolEntry {
  ref: PoolRef;
  /** Undefined for known pools. */
  pair: number | undefined;
  candidatePool: number;
  form: StateForm;
  status: PoolStatus;
  /** Bit 0: the ticks below the price were read, bit 1: those above. */
  walks: number;
  /** The meaning of these four values depends on `form`: see `VenueFamily.states`. */
  first: bigint;
  second: bigint;
  third: bigint;
  fourth: bigint;
  feePips: readonly [number, number];
  tick: number;
  tickSpacing: number;
  ticks: Tick[];
  knownFrom: number;
  knownTo: number;
}
