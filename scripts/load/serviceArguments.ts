import { join } from 'node:path';

/**
 * How `npm start` has Node run the service. V8 by itself lets a heap grow to a multiple of what lives in it before it
 * sweeps; at most 30 % keeps a third of the memory under load, for CPU that paid quotes do not show and checks do (some
 * tenths).
 */
export const serviceArguments: readonly string[] = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=30',
  join(import.meta.dirname, '../start.mjs'),
];
