/**
 * npm run fuzz [-- --minutes 10 --seed 7]
 *
 * Runs tests/fuzz in rounds with a new seed each, until the time is over or a test fails. Each round prints its seed:
 * FUZZ_SEED=… npx vitest run tests/fuzz reproduces a failure. Exits with 1 after a failure.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Multiplies the cases of `npm test` in each round. */
    times: { type: 'string', default: '4' },
  },
});
const root = join(import.meta.dirname, '..', '..');
const end = Date.now() + Number(values.minutes) * 60_000;
let rounds = 0;
let failed = false;
while (!failed && (rounds === 0 || Date.now() < end)) {
  const seed = String(Number(values.seed) + rounds);
  console.log(`Round ${rounds + 1}: seed ${seed}, ${values.times} times the cases of npm test`);
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', 'tests/fuzz', '--testTimeout=900000', '--exclude=**/found.test.ts', '--reporter=default'],
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, FUZZ_SEED: seed, FUZZ_TIMES: values.times } },
  );
  failed = status !== 0;
  rounds += 1;
}
console.log(failed ? 'A test failed: see above.' : `${rounds} rounds without a failure.`);
process.exitCode = failed ? 1 : 0;
