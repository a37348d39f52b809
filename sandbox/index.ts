export type { Action, Placement, PoolPlan, TokenPlan } from './chainPlan.ts';
export { createOrderRunner, type Movement, type Order, type OrderRunner } from './execution/createOrderRunner.ts';
export { UnknownPoolError } from './execution/encodeLegs.ts';
export { executeRoute, type RouteExecution, type RouteOrder } from './execution/executeRoute.ts';
export { fund } from './execution/fund.ts';
export {
  createPublishedQuoters,
  type PublishedQuoters,
  type QuoterAnswer,
  type QuoterQuery,
} from './execution/publishedQuoters.ts';
export { toExecutableLegs } from './execution/toExecutableLegs.ts';
export { TransactionNotMinedError, TransactionRevertedError } from './execution/walletSender.ts';
export { withSnapshot } from './execution/withSnapshot.ts';
export {
  falsifyCallBlock,
  falsifyChainId,
  falsifyHeader,
  freezeHead,
} from './falseBlocks.ts';
export { makerAddress } from './market/maker.ts';
export { type LocalPostgres, PostgresStartError, startPostgres } from './postgres/startPostgres.ts';
export { AnvilMissingError } from './process/findAnvil.ts';
export { freePort } from './process/freePort.ts';
export { type Mining, mineEvery } from './process/mineEvery.ts';
export { NodeStartError } from './process/startNodes.ts';
export { type OpenChain, reopenChain } from './reopenChain.ts';
export { createNodeClient } from './rpc/nodeClient.ts';
export { type ProxiedCall, type RpcFault, type RpcProxy, startRpcProxy } from './rpcProxy.ts';
export type * from './sandboxPool.ts';
export type * from './sandboxTypes.ts';
export { solanaWallet, startSolana } from './solana/startSolana.ts';
export { standInFactories } from './standInFactories.ts';
export { liveBlockMs, type SandboxOptions, startSandbox } from './startSandbox.ts';
export type {
  GroundTruth,
  OwnerPower,
  TestToken,
  TestTokenPool,
  TestTokens,
  TradeOutcome,
} from './testTokens/testTokenTypes.ts';
export { mainnetUsdcName, sandboxUsdcName } from './tokens/usdc.ts';
