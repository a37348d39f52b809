import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { directImports } from './directImports.ts';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};
const modules = (process.env.MUTATE?.split(',') ?? mutate).filter((pattern) => !pattern.startsWith('!'));

/**
 * Where the tests of a room are: those of a module also test its neighbours. Without the system tests, which start chains
 * and servers for each change.
 */
const testsOfRooms: Record<string, string[]> = {
  // The creation events of the families are decoded in `poolEvents`.
  'engine/venues/': [
    'engine/venues/**/*.test.ts',
    'engine/quote/search/curve.test.ts',
    'engine/pools/poolEvents.test.ts',
  ],
  // Of a run of these modules alone: their tests call each of them, and no database.
  'server/payments/networks/evm/': ['server/payments/networks/evm/**/*.test.ts'],
  'server/payments/': ['server/payments/**/*.test.ts'],
  'server/storage/': ['server/storage/**/*.test.ts', 'tests/storage/*.test.ts'],
  'server/rpc/': ['server/rpc/**/*.test.ts'],
  // One payment passes through all of these modules.
  'client/pay/': ['client/pay/**/*.test.ts'],
};

/** The tests of a module: those of its room, all tests of its folder in these folders, or its own file. */
function testsOf(module: string): string[] {
  const room = Object.keys(testsOfRooms).find((folder) => module.startsWith(folder));
  if (room) return testsOfRooms[room] ?? [];
  const own = module.replace(/\.ts$/, '.test.ts');
  const isFolder = /^engine\/(chain|quote)\//.test(module) || !existsSync(join(root, own));
  return [isFolder ? `${dirname(module)}/*.test.ts` : own];
}

/** Tests that search hundreds of markets. `recordedPlans` and `searchCases` detect the same mutations in a second. */
const slow = ['engine/quote/search/searchPlan.test.ts', 'engine/quote/search/crowdedMarkets.test.ts'];
/** Tests of PostgreSQL alone. */
const withServer = ['tests/storage/replicas.contract.test.ts', 'tests/storage/longMigration.test.ts'];

export default defineConfig({
  plugins: [directImports(root)],
  test: {
    include: [...new Set(modules.flatMap(testsOf))],
    exclude: [...slow, ...withServer],
    // Files share modules: loading them again for each file takes longer than most tests.
    isolate: false,
    testTimeout: 60_000,
    env: { SQLITE_ONLY: '1' },
  },
});
