import { expect, test } from 'vitest';
import { checkFiles } from './checkFiles.ts';
import { findRetiredWords, retiredWords } from './retiredWords.ts';

test('default: reports file, line, word and the term to use', () => {
  expect(checkFiles([{ path: 'server/a.ts', text: 'const a = 1;\n// The client is told the price.\n' }])).toEqual([
    'server/a.ts:2: "told" is retired. Write: return, report, respond or include.',
  ]);
});

test.each(retiredWords.map(({ word }) => word))('error: finds %s', (word) => {
  expect(findRetiredWords('a.ts', `x ${word} y`).map((finding) => finding.word)).toEqual([word]);
});

test.each(['openCashier', 'FakeCashier', 'a_cashier', 'Cashiers', 'CASHIER'])('error: finds the word in %s', (name) => {
  expect(findRetiredWords('a.ts', `const ${name} = 1;`)).toMatchObject([{ line: 1, word: 'cashier' }]);
});

test('error: finds a retired word in the name of a file', () => {
  expect(checkFiles([{ path: 'tests/chaos/honestGuests.ts', text: '' }])).toEqual([
    'tests/chaos/honestGuests.ts (file name): "guest" is retired. Write: client.',
  ]);
});

test.each(['desktop', 'guardrail', 'trailing', 'unveiling', 'guesstimate', 'untold', 'chain check slot0 holders'])(
  'behavior: accepts %s',
  (text) => {
    expect(findRetiredWords('a.ts', text)).toEqual([]);
  },
);

test('behavior: accepts a word with a technical sense only in the file that lists it', () => {
  const files = ['a.ts', 'b.ts'].map((path) => ({ path, text: 'runs as nobody' }));
  expect(checkFiles(files, { 'a.ts': ['nobody'] })).toEqual([expect.stringContaining('b.ts:1')]);
});
