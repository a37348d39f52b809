export * from './chain/chains.ts';
export type * from './chain/rpcEndpoint.ts';
export type * from './engineTypes.ts';
export * from './errors.ts';
export type * from './quote/quoteTypes.ts';
