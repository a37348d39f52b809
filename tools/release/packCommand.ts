import { parseArgs } from 'node:util';
import { packClient } from './packClient.ts';

// Builds the package of the typed client and its command line into a folder that `npm pack` or `npm publish` takes.

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist/client' } } });
await packClient(values.out);
console.log(`The package is in ${values.out}.`);
