/**
 * Status of one slot for a pair. The position is the number; `npm run contracts` writes it to Solidity. `not found`
 * (no-factory, no-pool), `read failed` (unread) and `not requested` (not-asked) stay apart.
 */
export const slotStatuses = [
  'not-asked',
  'no-factory',
  'no-pool',
  'empty',
  'filled',
  'partial',
  'rejected',
  'unread',
  /** Its price before slippage is below what others pay: not swapped through. */
  'outbid',
  /** Too little liquidity to matter for the size: not swapped through. */
  'thin',
] as const;

export type SlotStatus = (typeof slotStatuses)[number];
