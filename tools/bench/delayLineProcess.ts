import { startDelayLine } from './delayLine.ts';

// The process of `forkDelayLine.ts`.

/** A new delay, or a question for the counts. */
export interface LineOrder {
  delayMs?: number;
}

const line = await startDelayLine(process.argv[2] ?? '');
process.on('message', ({ delayMs = line.delayMs }: LineOrder) => {
  line.delayMs = delayMs;
  process.send?.(line.seen);
});
// The parent left.
process.on('disconnect', () => process.exit());
process.send?.(line.url);
