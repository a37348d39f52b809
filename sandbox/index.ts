export { UnknownPoolError } from './judge/encodeLegs.ts';
export { executeRoute, type RouteExecution, type RouteOrder } from './judge/executeRoute.ts';
export { fund } from './judge/fund.ts';
export { TransactionRevertedError } from './judge/walletSender.ts';
export { withSnapshot } from './judge/withSnapshot.ts';
export { AnvilMissingError } from './process/findAnvil.ts';
export { NodeStartError } from './process/startNodes.ts';
export type * from './sandboxTypes.ts';
export { type SandboxOptions, startSandbox } from './startSandbox.ts';
