export type * from './cashierConfig.ts';
export type * from './cashierTypes.ts';
export { createCashier } from './createCashier.ts';
export type * from './ledger/ledgerTypes.ts';
export { LedgerInUseError } from './ledger/openSqlite.ts';
export { createSqliteLedger } from './ledger/sqliteLedger.ts';
export { PaymentNetworkMismatchError } from './networkMismatch.ts';
