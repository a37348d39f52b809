import type { PoolRef } from './poolTypes.ts';
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

/**
 * The form of a pool's state in a lens's answer selects its decoder and formula. The position is the number; `npm run contracts`
 * writes it to Solidity, as `FORM_V2` and so on. The lens also compares: pairs come before `v3`, states without maths from
 * `hook` on.
 */
export const stateForms = [
  /** The state could not be read. */
  'none',
  'v2',
  'camelot',
  'solidly',
  'camelotStable',
  'solidlyStable',
  'weighted',
  'v3',
  'v4',
  /** One fee, bitmap of compressed ticks. */
  'algebraV1',
  /** One fee for each direction, bitmap of plain ticks. */
  'algebraV19',
  /** Initialised ticks form a linked list. */
  'algebraIntegral',
  /** A v4 pool whose hook runs at a swap. */
  'hook',
  /** An Algebra pool whose fee only a swap shows. */
  'plugin',
  /** Read, but no known formula fits. */
  'unknown',
] as const;

export type StateForm = (typeof stateForms)[number];

/**
 * Status of one candidate pool for a pair. The index of a status is its number in Solidity, where `npm run contracts`
 * writes it.
 * `not found` (no-factory, no-pool), `read failed` (unread) and `not requested` (not-requested) stay apart.
 */
export const poolStatuses = [
  'not-requested',
  'no-factory',
  'no-pool',
  'empty',
  'filled',
  'partial',
  'rejected',
  'unread',
  /** Not swapped: the bound of its output is below an executed fill of another pool. */
  'outbid',
  /** Not swapped: too little liquidity to matter for the size. */
  'thin',
] as const;

export type PoolStatus = (typeof poolStatuses)[number];
