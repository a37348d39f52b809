import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', '.cache/**'],
    // Real chains and real settlements: slow is not wrong, and no test asserts a duration.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores: one test file brings up to three chains of its own.
    maxWorkers: 2,
  },
});
