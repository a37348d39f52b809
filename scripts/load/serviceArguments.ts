import { join } from 'node:path';

/** How `npm start` has Node run the service. */
export const serviceArguments: readonly string[] = [
  '--max-semi-space-size=4',
  join(import.meta.dirname, '../start.mjs'),
];
