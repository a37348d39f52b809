/**
 * npm run chaos [-- --seed 7 --minutes 10 --out bench/chaos-7.json]
 *
 * Guests of all kinds while nodes, facilitator, database, replicas, clocks and blocks fail by the dice of the seed; then
 * the books are held against the chain. The test of every day does it for half a minute. Ends with 1 when the books do
 * not balance.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '7' },
    out: { type: 'string', default: 'bench/chaos.json' },
  },
});
const root = join(import.meta.dirname, '..');
mkdirSync(dirname(values.out), { recursive: true });
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'tests/chaos/chaos.test.ts', '--reporter=verbose'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_SEED: values.seed,
      CHAOS_SECONDS: String(Number(values.minutes) * 60),
      CHAOS_OUT: resolve(values.out),
    },
  },
);
console.log(`Written to ${values.out}`);
process.exitCode = status ?? 1;
