/**
 * How the state in an entry of a lens's answer is laid out and computed. The position is the number; `npm run contracts`
 * writes it to Solidity, as `FORM_V2` and so on. The lens also compares: pairs come before `v3`, states without maths from
 * `hook` on.
 */
export const stateForms = [
  /** No state could be read. */
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
  'hook',
  'plugin',
  'unknown',
] as const;

export type StateForm = (typeof stateForms)[number];
