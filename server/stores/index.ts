export type { DatabasePlace } from './database/database.ts';
export { DatabaseInUseError, DatabaseTooNewError, DatabaseUnavailableError } from './database/errors.ts';
export type { Facts } from './facts/createFacts.ts';
export type { LogHolder, LogIndexProgress, LogIndexStore } from './facts/logIndexes.ts';
export { openStores, type Stores } from './openStores.ts';
export { createAnswerShare } from './shared/answerShare.ts';
export type { CountedHits, RateCounts } from './shared/rateCounts.ts';
export type { SharedAnswer, SharedAnswers } from './shared/sharedAnswers.ts';
export { openTemporaryStores } from './temporaryStores.ts';
