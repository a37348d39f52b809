import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const longest = 300;

// biome.json holds TypeScript to the same limit.
test(`no Solidity source has more than ${longest} lines`, () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.sol'),
  );
  expect(sources.length).toBeGreaterThan(50);
  const lengths = sources.map((path) => ({
    path,
    lines: readFileSync(join(import.meta.dirname, path), 'utf8')
      .trimEnd()
      .split('\n').length,
  }));
  expect(lengths.filter(({ lines }) => lines > longest)).toEqual([]);
});
