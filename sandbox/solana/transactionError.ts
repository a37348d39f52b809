import type { FailedTransactionMetadata } from 'litesvm';

/** A transaction error as Solana's JSON-RPC writes it. */
export type TransactionErrorJson = string | Record<string, unknown>;

/** In the order of `TransactionError`'s variants without fields, as litesvm numbers them. */
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

/** The same for `InstructionError`, as far as token transfers meet them. */
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

/** What went wrong, in the words of the real nodes. */
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
