import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { threatModel } from './threatModel.ts';
import { threats } from './threats.ts';

const root = join(import.meta.dirname, '..', '..');

test.each(threats)('default: the tests named for "$who" exist', ({ shownBy }) => {
  expect(shownBy.length).toBeGreaterThan(0);
  for (const file of shownBy) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readFileSync(join(root, file), 'utf8'), file).toMatch(/\btest(\.each|\.skipIf)?\(/);
  }
});

test('default: the page contains every threat and its remaining risk', () => {
  const { body } = threatModel();
  for (const { who } of threats) expect(body.text).toContain(`<h2>${who}</h2>`);
  expect(body.text.match(/<dt>Left<\/dt>/g)).toHaveLength(threats.length);
});
