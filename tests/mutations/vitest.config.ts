import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};

/** The unit tests of the modules that stryker.config.json mutates. */
export default defineConfig({
  test: { include: mutate.map((module) => module.replace(/\.ts$/, '.test.ts')) },
});
