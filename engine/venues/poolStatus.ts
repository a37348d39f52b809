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
