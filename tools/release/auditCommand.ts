import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditLock } from './auditLock.ts';

// npm run audit:lock: checks the lockfile without network access. `npm audit` also asks the registry for advisories.

const root = join(import.meta.dirname, '..', '..');
const load = (name: string) => readFile(join(root, name), 'utf8');
const lock = JSON.parse(await load('package-lock.json'));
const faults = auditLock(JSON.parse(await load('package.json')), lock, await load('.npmrc'));
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else process.stdout.write(`${Object.keys(lock.packages).length - 1} locked packages are as they should be.\n`);
