import { readFileSync, writeFileSync } from 'node:fs';
import { buildDocument } from '../../router/index.ts';

// Writes openapi.json from the router. With --check it writes nothing, and fails if the file
// differs from the router's document.

const file = new URL('../../openapi.json', import.meta.url);
const wanted = `${JSON.stringify(buildDocument(), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, wanted);
} else if (readFileSync(file, 'utf8') !== wanted) {
  console.error(
    'openapi.json is not what the router says. Run `npx tsx tools/generate/buildOpenapi.ts` and commit it.',
  );
  process.exitCode = 1;
}
