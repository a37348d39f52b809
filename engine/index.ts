export * from './chain/chains.ts';
export type * from './chain/rpcEndpoint.ts';
export { createEngine } from './createEngine.ts';
export type * from './engineTypes.ts';
export * from './errors.ts';
export type * from './quote/quoteTypes.ts';
export { deployments } from './venues/deployments/deployments.ts';
export type { V4PoolShape } from './venues/uniswapV4/row.ts';
export type { BaseAsset, Deployment, UsdFeed, VenueRow } from './venues/venueTypes.ts';
