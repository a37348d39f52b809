import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest tests. They start first, so that none of them runs alone at the end. */
const longest = [
  'tests/chaos/chaos',
  'tests/payments/wrongNodeReplies',
  'tests/browser/pages',
  'tests/payments/groupLoad',
  'tests/payments/crash',
  'tests/secrecy/canaries',
  'tests/payments/remote',
  'tests/client/package',
  'tests/browser/interrupted',
  'tests/payments/ledgerCommand',
  'tests/pretrade-outages/rpc',
  'tests/pretrade/poolIndex',
  'tests/engine/hostile',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (project.name !== 'system') return longest.length + 1;
      const index = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index < 0 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const systemTests = ['tests/**/*.test.ts', 'sandbox/**/*.test.ts'];

/** These tests mock modules. In a shared process, the mocks would affect later files. */
const isolatedTests = ['tests/engine/newChain.test.ts'];

export default defineConfig({
  test: {
    // Long enough for a machine five times slower, so that only a hanging test times out.
    testTimeout: 240_000,
    hookTimeout: 300_000,
    // vitest's own 1 s is shorter than a transaction on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // For two cores: some files wait for blocks while others compute. With three workers, the cores idle 15 % of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files share processes: loading the same modules again for each takes longer than most tests.
      {
        extends: true,
        test: {
          name: 'system',
          include: systemTests,
          exclude: ['**/node_modules/**', ...isolatedTests],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolatedTests } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: ['node_modules/**', '.cache/**', ...systemTests],
          isolate: false,
        },
      },
    ],
  },
});
