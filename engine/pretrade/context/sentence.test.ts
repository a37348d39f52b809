import { expect, test } from 'vitest';
import { sentence, withoutStop } from './sentence.ts';

test.each([
  ['no source is configured', 'No source is configured.'],
  ['blockscout could not be read: timeout.', 'Blockscout could not be read: timeout.'],
  ['it failed.. ', 'It failed.'],
  ['0x12 calls', '0x12 calls.'],
])('turns %j into one sentence', (text, expected) => {
  expect(sentence(text)).toBe(expected);
});

test('removes every full stop at the end', () => {
  expect(withoutStop('a. b..')).toBe('a. b');
});
