import { readFileSync } from 'node:fs';

const base = JSON.parse(readFileSync('tests/mutations/stryker.config.json', 'utf8'));
export default {
  ...base,
  mutate: process.env.MUTATE.split(','),
  thresholds: { high: 95, low: 80, break: null },
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: process.env.REPORT },
  tempDirName: process.env.TEMPDIR ?? '.cache/stryker-f',
  ignorePatterns: base.ignorePatterns.filter((each) => each !== 'docs'),
  vitest: { configFile: 'tests/mutations/f.vitest.config.ts' },
};
