import { join } from 'node:path';

/**
 * V8 flags of `npm start`. By default V8 lets a heap grow to a multiple of its live size. A limit of 100 % saves a
 * quarter of the memory under load; one of 30 % saves 26 MiB more and costs a paid call 15 % more CPU, because major
 * collections are frequent. The semi-space has 32 MiB from the start: with 16 and V8's own minimum, 8 payers at once wait
 * half as long again at p99 (docs/adr/003).
 */
export const serviceFlags: readonly string[] = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
];

/** Node arguments of `npm start`. */
export const serviceArguments: readonly string[] = [...serviceFlags, join(import.meta.dirname, '../start/start.mjs')];
