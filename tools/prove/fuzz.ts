/**
 * npm run fuzz [-- --minutes 10 --seed 7 --times 4]
 *
 * Runs tests/fuzz in rounds, each with a new seed, until the time is up or a test fails. On a failure it prints the
 * command that reproduces it and exits with 1.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Factor by which each round has more cases than `npm test`. */
    times: { type: 'string', default: '4' },
  },
});
const root = join(import.meta.dirname, '..', '..');
const end = Date.now() + Number(values.minutes) * 60_000;
let rounds = 0;
let failed = false;
let seed = values.seed;
while (!failed && (rounds === 0 || Date.now() < end)) {
  seed = String(Number(values.seed) + rounds);
  console.log(`Round ${rounds + 1}: seed ${seed}, ${values.times} times the cases of npm test`);
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', 'tests/fuzz', '--testTimeout=900000', '--reporter=default'],
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, FUZZ_SEED: seed, FUZZ_TIMES: values.times } },
  );
  failed = status !== 0;
  rounds += 1;
}
const command = `FUZZ_SEED=${seed} FUZZ_TIMES=${values.times} npx vitest run tests/fuzz`;
console.log(failed ? `A test failed. Reproduce it: ${command}` : `${rounds} rounds without a failure.`);
process.exitCode = failed ? 1 : 0;
