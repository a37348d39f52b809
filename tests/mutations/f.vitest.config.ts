import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { isolate: false, include: (process.env.TESTS ?? '').split(','), exclude: ['tests/storage/replicas.contract.test.ts', 'tests/storage/longMigration.test.ts', 'tests/storage/queryPlans.test.ts'], testTimeout: 60_000, env: { SQLITE_ONLY: '1' } },
});
