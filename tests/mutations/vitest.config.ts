import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};
const modules = process.env.MUTATE?.split(',') ?? mutate;

/** The unit test beside each module; the pools' maths and the search are tested as a whole. */
function testsOf(module: string): string {
  const own = module.replace(/\.ts$/, '.test.ts');
  const isWhole = /^engine\/(pools|quote\/search)\//.test(module) || !existsSync(join(root, own));
  return isWhole ? `${dirname(module)}/*.test.ts` : own;
}

/**
 * These tests search hundreds of markets. `recordedPlans.test.ts` and `searchCases.test.ts` detect the same changes in
 * a second.
 */
const slow = ['engine/quote/search/searchPlan.test.ts', 'engine/quote/search/crowdedMarkets.test.ts'];

export default defineConfig({
  test: { include: [...new Set(modules.map(testsOf))], exclude: slow, testTimeout: 60_000 },
});
