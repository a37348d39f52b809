import { join } from 'node:path';

/**
 * V8 flags of `npm start`. `--heap-growing-percent` limits the growth of the heap between major collections,
 * which saves memory under load. The semi-space is large from the start, because a small one raises the p99 latency of
 * concurrent payments. Measurements: docs/adr/003-settlement-groups.md.
 */
export const serviceFlags: readonly string[] = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--heap-growing-percent=150',
];

/** Node arguments of `npm start` in the folder of a checkout. */
export const serviceArgumentsOf = (checkout: string): readonly string[] => [
  ...serviceFlags,
  join(checkout, 'tools/start/start.mjs'),
];

/** Node arguments of `npm start`. */
export const serviceArguments: readonly string[] = serviceArgumentsOf(join(import.meta.dirname, '../..'));
