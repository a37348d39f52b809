import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// npm run bench:settlement: payments a second, node requests, transactions and CPU for each, with a node 50 ms away, on
// both databases. An argument names a file for the figures.

const root = join(import.meta.dirname, '..', '..');
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'tests/payments/settlementBench.test.ts'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, BENCH_SETTLEMENT: process.argv[2] ?? '' } },
);
process.exitCode = status ?? 1;
