// Starts the service from its bundle: `npm start`, or `node tools/start/start.mjs` if all packages are installed.
import { pathToFileURL } from 'node:url';
import { bundledService } from './bundleService.mjs';

/** Errors of a folder that this user cannot write. The bundle must then be built in advance. */
const notWritable = new Set(['EACCES', 'EPERM', 'EROFS']);

const entry = await bundledService().catch((error) => {
  if (!notWritable.has(error.code)) throw error;
  process.stderr.write(
    'No bundle of this version exists, and .cache/service is not writable. Run npm run build as a user who can write it.\n',
  );
  process.exit(1);
});
await import(pathToFileURL(entry).href);
