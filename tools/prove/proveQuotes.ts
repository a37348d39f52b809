/**
 * npm run prove:quotes [-- --cases 3000 --seed 20261121 --out bench/proof.json]
 *
 * Generates quotes on the sandbox's three chains, executes each in a mined transaction, and compares the result with
 * the quote. `npm test` runs a sample of the same test. This command runs all cases, prints the coverage and writes it
 * as JSON. Exits with 1 if one wei differs, or if a family is not covered, which can happen below 900 cases.
 */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '20261121' },
    out: { type: 'string', default: 'bench/proof.json' },
  },
});
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const test = 'tests/engine/executedToTheWei.test.ts';

await rm(values.out, { force: true });
const child = spawn(process.execPath, [vitest, 'run', test, '--silent'], {
  stdio: 'inherit',
  env: { ...process.env, PROVE_CASES: values.cases, PROVE_SEED: values.seed, PROVE_OUT: values.out },
});
const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)));
const { proofs } = JSON.parse(await readFile(values.out, 'utf8')) as { proofs: Record<string, Row> };

interface Row {
  cases: number;
  executed: number;
  twoLegs: number;
  splits: number;
  taxedBuys: number;
  taxedSales: number;
  noRoute: number;
  families: Record<string, number>;
  venues: Record<string, number>;
  faults: string[];
}

console.table(
  Object.fromEntries(
    Object.entries(proofs).map(([chain, { cases, families, venues, faults, ...counts }]) => {
      const { executed, twoLegs, splits, taxedBuys, taxedSales, noRoute } = counts;
      const covered = { families: Object.keys(families).length, venues: Object.keys(venues).length };
      const row = { requested: cases, executed, twoLegs, splits, taxedBuys, taxedSales, noRoute, ...covered };
      return [chain, { ...row, differences: faults.length }];
    }),
  ),
);
console.log(`Written to ${values.out}`);
process.exitCode = code;
