export * from './chain/chains.ts';
export type * from './chain/rpcEndpoint.ts';
export type * from './engineTypes.ts';
export * from './errors.ts';
export type * from './quote/quoteTypes.ts';
export * from './pretrade/pretradePorts.ts';
export * from './pretrade/pretradeTypes.ts';
