// npm run build: makes the bundle that `npm start` runs, for places where it cannot be made at start.
import { bundledService } from './start/bundleService.mjs';

process.stdout.write(`${await bundledService()}\n`);
