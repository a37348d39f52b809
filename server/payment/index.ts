export type * from './cashierConfig.ts';
export type * from './cashierTypes.ts';
export { createCashier } from './createCashier.ts';
export { LedgerOrderError } from './ledger/ledgerOrderError.ts';
export type * from './ledger/ledgerTypes.ts';
export { PaymentNetworkMismatchError } from './networkMismatch.ts';
