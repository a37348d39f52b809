// npm run check:language: fails when a tracked text file contains a retired word. Part of `npm run lint`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFiles } from './checkFiles.ts';
import { skipped, technicalSenses } from './exemptions.ts';

const root = join(import.meta.dirname, '..', '..');
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
const files = tracked
  // A file that is deleted but not committed is still listed.
  .filter((path) => path !== '' && !skipped.test(path) && existsSync(join(root, path)))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const faults = checkFiles(files, technicalSenses);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`\n${faults.length} findings. Use the glossary's terms; see CONTRIBUTING.md.`);
  process.exitCode = 1;
}
