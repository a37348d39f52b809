// `npm start`, and `node tools/start/start.mjs` where everything is installed: the service from its bundle.
import { pathToFileURL } from 'node:url';
import { bundledService } from './bundleService.mjs';

/** Where the project's folder is not ours to write, the bundle was to be made beforehand. */
const notOurs = new Set(['EACCES', 'EPERM', 'EROFS']);

const entry = await bundledService().catch((error) => {
  if (!notOurs.has(error.code)) throw error;
  process.stderr.write(
    'There is no bundle of this version, and none can be written here. Make it with: npm run build\n',
  );
  process.exit(1);
});
await import(pathToFileURL(entry).href);
