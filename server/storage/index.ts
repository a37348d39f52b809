export { backUpSqlite } from './database/backUpSqlite.ts';
export type { DatabaseLocation, DatabaseOrigin } from './database/database.ts';
export {
  BackupTargetError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseTooOldError,
  DatabaseUnavailableError,
} from './database/errors.ts';
export { deleteExpiredRows } from './deleteExpiredRows.ts';
export { type BlockRange, countBlocks, isWithin, missingRanges } from './facts/blockRanges.ts';
export type { Facts } from './facts/createFacts.ts';
export type { LogHolder, LogIndexProgress, LogIndexStore } from './facts/logIndexes.ts';
export type { PoolIndexStore } from './facts/poolIndexes.ts';
export type { PoolIndexReader } from './facts/poolIndexReader.ts';
export type { PoolCheckpoint, StoredPool } from './facts/poolRows.ts';
export { openBook } from './openBook.ts';
export { openPoolIndexes, openPoolIndexesToRead } from './openPoolIndexes.ts';
export { openStores, type Stores } from './openStores.ts';
export type { DayTotals, PaidEntry, TimeRange } from './payments/dayTotals.ts';
export { forgetOld } from './payments/forgetOld.ts';
export type { BookEntry, OpenPayments, PaymentBook } from './payments/paymentBook.ts';
export { createAnswerShare } from './shared/answerShare.ts';
export type { RateCounts } from './shared/rateCounts.ts';
export { createStoreProbe, type StoreProbe } from './storeProbe.ts';
