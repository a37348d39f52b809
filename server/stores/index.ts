export type { LogHolder, LogIndexProgress, LogIndexStore } from './logIndexes.ts';
export { type Facts, openFacts } from './openFacts.ts';
