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
