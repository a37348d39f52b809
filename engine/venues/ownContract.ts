import type { PoolAddresses } from './venueFamily.ts';

/** Each pool is a contract, which holds its tokens. */
export const ownContract: PoolAddresses = {
  toId: (word) => `0x${word.slice(24)}`,
  contractOf: ({ id }) => id,
  swapsAt: ({ id }) => id,
  hooksOf: ({ candidatePool }) => candidatePool.hooks,
  otherOf: ({ candidatePool }) => candidatePool.factory,
  publicId: ({ id }) => id,
};
