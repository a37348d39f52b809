import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};
const modules = process.env.MUTATE?.split(',') ?? mutate;

/** The tests of a module: those of all maths, its own file, or all tests of its folder for the search and other modules. */
function testsOf(module: string): string[] {
  if (module.startsWith('engine/venues/')) {
    // The creation events of the families are decoded in `poolEvents`.
    return ['engine/venues/**/*.test.ts', 'engine/quote/search/curve.test.ts', 'engine/pools/poolEvents.test.ts'];
  }
  // One payment passes through all of these modules.
  if (module.startsWith('client/pay/')) return ['client/pay/*.test.ts'];
  const own = module.replace(/\.ts$/, '.test.ts');
  const isFolder = module.startsWith('engine/quote/search/') || !existsSync(join(root, own));
  return [isFolder ? `${dirname(module)}/*.test.ts` : own];
}

/** Tests that search hundreds of markets. `recordedPlans` and `searchCases` detect the same mutations in a second. */
const slow = ['engine/quote/search/searchPlan.test.ts', 'engine/quote/search/crowdedMarkets.test.ts'];

export default defineConfig({
  test: { include: [...new Set(modules.flatMap(testsOf))], exclude: slow, testTimeout: 60_000 },
});
