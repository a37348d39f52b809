/**
 * Status of one slot for a pair. `thin`: too little liquidity to matter for the size. Order:
 * contracts/lens/LensTypes.sol.
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
  'outbid',
  'thin',
] as const;

export type SlotStatus = (typeof slotStatuses)[number];
