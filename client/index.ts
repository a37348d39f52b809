export {
  createTruefillClient,
  paths,
  type TruefillClient,
  type TruefillClientOptions,
} from './createTruefillClient.ts';
export * from './errors.ts';
export type { SpendLimit } from './pay/budget.ts';
export type { Progress } from './pay/paymentSession.ts';
export type { Receipt } from './pay/receipt.ts';
export type { AllowSandbox } from './pay/sandboxOffer.ts';
export type { RetryOptions } from './pay/send.ts';
export type { SolanaSigner } from './pay/solanaSigner.ts';
export type { EvmAccount, Wallet, WalletClient } from './pay/wallets.ts';
export type { PretradeCheck } from './toCheck.ts';
export type { ExpectedTrade } from './trade/assertExpected.ts';
export {
  NoSingleTransactionError,
  TransactionFailedError,
  UnexpectedQuoteError,
  VerificationError,
  type VerificationFault,
} from './trade/errors.ts';
export {
  type ContractState as ExecutorContract,
  checkExecutor,
  deployExecutor,
  hasExecutor,
} from './trade/executorCode.ts';
export { type Approval, type SwapTransaction, type TransactionOptions, toTransaction } from './trade/toTransaction.ts';
export { isTradable, type TradedCheck, type TradeWarning, tradeWarning } from './tradeWarning/index.ts';
export { type Verification, type VerifyOptions, verify } from './verify/verify.ts';
export { version } from './version.ts';
export type {
  ErrorCode,
  Health,
  PretradeRequest,
  Quote,
  QuoteRequest,
  Transaction,
  TransactionRequest,
} from './wire.ts';
