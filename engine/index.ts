export type { NodeCapabilities, Product } from './chain/capabilities.ts';
export type * from './chain/chainState.ts';
export * from './chain/chains.ts';
export type { DeploymentState } from './chain/deploymentMemory.ts';
export { multicall3 } from './chain/multicall3.ts';
export { createPace } from './chain/pace.ts';
export type * from './chain/rpcEndpoint.ts';
export { isLimited, withPace } from './chain/sendPaced.ts';
export { createEngine } from './createEngine.ts';
export type * from './engineTypes.ts';
export * from './errors.ts';
export { keccak256 } from './keccak256.ts';
export { type AnyCase, type LowerAddress, toLowerAddress } from './lowerAddress.ts';
export { Memory } from './memory.ts';
export { hasOwnId, type PoolEvents, poolEventsOf } from './pools/poolEvents.ts';
export type { PoolHintSource } from './pools/poolHints.ts';
export type {
  IndexedCreation,
  IndexedPools,
  PoolCreation,
  PoolIndex,
  PoolIndexState,
  WeightedCreation,
  WeightedIndex,
} from './pools/poolIndex.ts';
export type { PretradeOptions } from './pretrade/createPretrade.ts';
export { defaultSizeUsd, pretradeKey } from './pretrade/createPretrade.ts';
export * from './pretrade/pretradePorts.ts';
export * from './pretrade/pretradeTypes.ts';
export { patternMeanings } from './pretrade/pretradeTypes.ts';
export { confidenceRules } from './quote/answer/confidence.ts';
export { type FlagCode, flagTable } from './quote/answer/flagTable.ts';
export { toBaseUnits } from './quote/query/parseSize.ts';
export { isNativeCoin, nativeCoin, queryKey, toQuoteQuery, toToken } from './quote/query/toQuoteQuery.ts';
export type * from './quote/quoteTypes.ts';
export type { AnswerShare } from './quote/share/answerCache.ts';
export {
  type BuiltTransaction,
  buildTransaction,
  type TransactionOrder,
  TransactionOrderError,
} from './quote/transaction/buildTransaction.ts';
export { executorRelease } from './quote/transaction/executorState.ts';
export { deployments } from './venues/deployments/deployments.ts';
export { familyNames } from './venues/families.ts';
export type { Deployment, RoutingAsset, UsdFeed, V4PoolShape, VenueRow } from './venues/venueTypes.ts';
