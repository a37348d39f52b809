import { expect, test } from 'vitest';
import { checkRooms } from './checkRooms.ts';
import { findRetiredWords, retiredWords } from './retiredWords.ts';

test('default: reports file, line, word and the term to use', () => {
  expect(checkRooms([{ path: 'server/a.ts', text: 'const a = 1;\n// The client is told the price.\n' }], [])).toEqual([
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
  expect(checkRooms([{ path: 'tests/chaos/honestGuests.ts', text: '' }], [])).toEqual([
    'tests/chaos/honestGuests.ts (file name): "guest" is retired. Write: client.',
  ]);
});

test.each(['desktop', 'guardrail', 'trailing', 'unveiling', 'guesstimate', 'untold', 'chain check slot0 holders'])(
  'behavior: accepts %s',
  (text) => {
    expect(findRetiredWords('a.ts', text)).toEqual([]);
  },
);

test('behavior: ignores unclean folders, but not folders whose names begin the same', () => {
  const files = [
    { path: 'server/payments/a.ts', text: 'told' },
    { path: 'server/paymentsTools/a.ts', text: 'told' },
  ];
  expect(checkRooms(files, ['server/payments'])).toEqual([expect.stringContaining('server/paymentsTools/a.ts:1')]);
});

test('error: reports an unclean folder without findings', () => {
  expect(checkRooms([{ path: 'server/a.ts', text: 'clean' }], ['server'])).toEqual([
    'server has no retired words: remove it from uncleanRooms.',
  ]);
});

test('behavior: accepts a word with a technical sense in its file only', () => {
  const files = ['a.ts', 'b.ts'].map((path) => ({ path, text: 'runs as nobody' }));
  expect(checkRooms(files, [], { 'a.ts': ['nobody'] })).toEqual([expect.stringContaining('b.ts:1')]);
});
