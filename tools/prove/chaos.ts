/**
 * npm run chaos [-- --seed 7 --minutes 10 --database sqlite --out bench/chaos-7.json]
 *
 * Runs clients while nodes, facilitator, database, replicas, clocks and blocks fail. The seed determines the faults.
 * Then compares the records of clients, ledger and chains, and exits with 1 if they differ. `npm test` runs it for 12
 * seconds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '7' },
    database: { type: 'string', default: 'postgres' },
    out: { type: 'string', default: 'bench/chaos.json' },
  },
});
if (!['postgres', 'sqlite'].includes(values.database)) {
  throw new Error(`--database must be postgres or sqlite, got ${values.database}.`);
}
const root = join(import.meta.dirname, '..', '..');
mkdirSync(dirname(values.out), { recursive: true });
rmSync(values.out, { force: true });
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'tests/chaos/chaos.test.ts', '--reporter=verbose'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_SEED: values.seed,
      CHAOS_DATABASE: values.database,
      CHAOS_SECONDS: String(Number(values.minutes) * 60),
      CHAOS_OUT: resolve(values.out),
    },
  },
);
console.log(existsSync(values.out) ? `Report: ${values.out}` : 'No report: the run ended before it wrote one.');
process.exitCode = status ?? 1;
