/** Status of one slot. `thin`: too little liquidity to matter for the size. Missing, unread and not requested stay apart. */
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
