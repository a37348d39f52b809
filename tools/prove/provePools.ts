/**
 * npm run prove:pools [-- --cases 100000 --seed 20261122 --out bench/poolProof.json --record
 * tests/support/executedSwaps.json]
 *
 * Computes swaps of generated sizes in generated pools on the sandbox's three chains, and compares the outputs to the
 * wei with published quoters and with executed swaps. `--record` writes swaps for the unit tests of the pool maths.
 * `npm test` runs a sample of the same test. Exits with 1 on any difference.
 */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '20261122' },
    out: { type: 'string', default: 'bench/poolProof.json' },
    record: { type: 'string', default: '' },
  },
});
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

interface Row {
  cases: number;
  quoted: number;
  executed: number;
  beyond: number;
  crossings: number;
  states: number;
  venues: Record<string, number>;
  faults: string[];
}

await rm(values.out, { force: true });
const child = spawn(process.execPath, [vitest, 'run', 'tests/engine/poolMaths.test.ts', '--silent'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PROVE_CASES: values.cases,
    PROVE_SEED: values.seed,
    PROVE_OUT: values.out,
    PROVE_RECORD: values.record,
  },
});
const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)));
const { proofs } = JSON.parse(await readFile(values.out, 'utf8')) as { proofs: Record<string, Row> };

console.table(
  Object.fromEntries(
    Object.entries(proofs).map(([chain, { venues, faults, ...counts }]) => {
      return [chain, { ...counts, venues: Object.keys(venues).length, differences: faults.length }];
    }),
  ),
);
console.log(`Written to ${values.out}`);
process.exitCode = code;
