export * from './chain/chains.ts';
export type * from './chain/rpcEndpoint.ts';
export { createEngine } from './createEngine.ts';
export type * from './engineTypes.ts';
export * from './errors.ts';
export type * from './quote/quoteTypes.ts';
export type { V4PoolShape } from './venues/uniswapV4/row.ts';
