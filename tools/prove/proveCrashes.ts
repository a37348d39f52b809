import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// npm run prove:crashes [-- 20]
//
// Kills a payment service at each step between the read of the header and the answer, 20 times per step by default, on
// both databases. Then compares the balances on chain.

const repetitions = process.argv[2] ?? '20';
const root = join(import.meta.dirname, '..', '..');
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    'tests/payments/crash.test.ts',
    'tests/payments/solanaCrash.test.ts',
    '--reporter=verbose',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, CRASH_REPETITIONS: repetitions, PROVE_SIZE: 'full' } },
);
process.exitCode = status ?? 1;
