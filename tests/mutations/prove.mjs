import { spawn } from 'node:child_process';
import { join } from 'node:path';

// npm run prove:mutations [-- <modules>]: modules or patterns, separated by commas. Without them, all of the configuration.

const [modules] = process.argv.slice(2);
const folder = import.meta.dirname;
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const chosen = modules ? ['--mutate', modules] : [];
spawn(process.execPath, [stryker, 'run', join(folder, 'stryker.config.json'), ...chosen], {
  stdio: 'inherit',
  env: { ...process.env, ...(modules && { MUTATE: modules }) },
}).on('exit', (code) => {
  process.exitCode = code ?? 1;
});
