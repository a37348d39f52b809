import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};
const modules = process.env.MUTATE?.split(',') ?? mutate;

/** Tests that also cover the maths of the venue families. */
const poolMaths = ['engine/pools/*.test.ts', 'engine/quote/search/curve.test.ts'];

/** The tests of a module: its own file, or all tests of the folder for the search and modules without an own file. */
function testsOf(module: string): string[] {
  const own = module.replace(/\.ts$/, '.test.ts');
  const isFolder = /^engine\/(pools|quote\/search)\//.test(module) || !existsSync(join(root, own));
  const tests = [isFolder ? `${dirname(module)}/*.test.ts` : own];
  return module.startsWith('engine/venues/') ? [...tests, ...poolMaths] : tests;
}

/** Tests that search hundreds of markets. `recordedPlans` and `searchCases` detect the same mutations in a second. */
const slow = ['engine/quote/search/searchPlan.test.ts', 'engine/quote/search/crowdedMarkets.test.ts'];

export default defineConfig({
  test: { include: [...new Set(modules.flatMap(testsOf))], exclude: slow, testTimeout: 60_000 },
});
