// `npm start`, and `node scripts/start.mjs` where everything is installed: the service from its bundle.
import { pathToFileURL } from 'node:url';
import { bundledService } from './start/bundleService.mjs';

await import(pathToFileURL(await bundledService()).href);
