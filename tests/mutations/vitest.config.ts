import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};
const modules = process.env.MUTATE?.split(',') ?? mutate;

/** The unit test beside each module; a module without one is tested by those of its folder. */
function testsOf(module: string): string {
  const own = module.replace(/\.ts$/, '.test.ts');
  return existsSync(join(root, own)) ? own : `${dirname(module)}/*.test.ts`;
}

export default defineConfig({ test: { include: [...new Set(modules.map(testsOf))], testTimeout: 60_000 } });
