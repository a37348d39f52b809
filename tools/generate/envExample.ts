import { readFileSync, writeFileSync } from 'node:fs';
import { envExample } from '../../server/config/index.ts';

// Writes ops/truefill.env.example from the configuration schema. With --check it only compares.

const file = new URL('../../ops/truefill.env.example', import.meta.url);
const wanted = envExample();

if (!process.argv.includes('--check')) {
  writeFileSync(file, wanted);
} else if (readFileSync(file, 'utf8') !== wanted) {
  console.error(
    'ops/truefill.env.example differs from the configuration schema. Run `npm run env:example` and commit it.',
  );
  process.exitCode = 1;
}
