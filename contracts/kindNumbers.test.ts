import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, 'lens');

// A new kind or form moves these numbers, and `npm run contracts` writes the new ones to LensNumbers.sol.
test('no lens compares the kind, form or status of a pool with a plain number', () => {
  const plain = /\b(kind|form|status)\)?\s*[<>=!]=?\s*\d|\d\s*[<>=!]=?\s*\(?(\w+\.)*(kind|form|status)\b/;
  expect(['group.kind < 8 ? a : b', '2 == leg.kind'].filter((line) => !plain.test(line))).toEqual([]);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sol'));
  expect(sources.length).toBeGreaterThan(20);
  const found = sources.flatMap((path) =>
    readFileSync(join(folder, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (plain.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
