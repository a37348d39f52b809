import { join } from 'node:path';

/** How Node is told to run the service. */
export const serviceArguments: readonly string[] = [
  '--import',
  'tsx',
  join(import.meta.dirname, '../../server/main.ts'),
];
