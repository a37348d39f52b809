import type { PoolAddresses } from './venueFamily.ts';

/** Each pool is a contract, which holds its tokens. */
export const ownContract: PoolAddresses = {
  toId: (word) => `0x${word.slice(24)}`,
  contractOf: ({ id }) => id,
  swapsAt: ({ id }) => id,
  hooksOf: ({ slot }) => slot.hooks,
  otherOf: ({ slot }) => slot.factory,
  publicId: ({ id }) => id,
};
