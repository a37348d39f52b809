import type { FailedTransactionMetadata } from 'litesvm';

/** A transaction error in the format of Solana's JSON-RPC. */
export type TransactionErrorJson = string | Record<string, unknown>;

/** Field-less variants of `TransactionError`, in litesvm's order. */
const transactionErrors = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
];

/** Variants of `InstructionError` that token transfers can cause. */
const instructionErrors = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
];

/** The error in the format of real nodes. */
export function toErrorJson(failed: FailedTransactionMetadata): TransactionErrorJson {
  const error = failed.err();
  if (typeof error === 'number') return transactionErrors[error] ?? `TransactionError${error}`;
  if ('err' in error) {
    const inner = error.err();
    if (typeof inner === 'number') {
      return { InstructionError: [error.index, instructionErrors[inner] ?? `InstructionError${inner}`] };
    }
    return { InstructionError: [error.index, 'code' in inner ? { Custom: inner.code } : 'BorshIoError'] };
  }
  if ('accountIndex' in error) return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  return { DuplicateInstruction: error.index };
}
