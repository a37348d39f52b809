// npm run build: builds the bundle that `npm start` runs, for images where it cannot be built at start.
import { bundledService } from './bundleService.mjs';

process.stdout.write(`${await bundledService()}\n`);
