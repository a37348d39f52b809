import { startDelayLine } from './delayLine.ts';

// The process of `forkDelayLine.ts`.

/** Sets the delay; without one, only requests the counts. */
export interface LineOrder {
  delayMs?: number;
}

const line = await startDelayLine(process.argv[2] ?? '');
process.on('message', ({ delayMs = line.delayMs }: LineOrder) => {
  line.delayMs = delayMs;
  process.send?.(line.seen);
});
// The parent process ended.
process.on('disconnect', () => process.exit());
process.send?.(line.url);
