import { encodeAbiParameters, type Hex, padHex, size, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import type { TextReading } from '../exit/exitTypes.ts';
import { readText } from './identity.ts';
import { tameText } from './tameText.ts';

/** The first five words of what a token answered. */
function answered(data: Hex): TextReading {
  return { ok: true, size: size(data) / 32, words: padHex(`0x${data.slice(2, 2 + 320)}`, { size: 160, dir: 'right' }) };
}
const string = (text: string) => answered(encodeAbiParameters([{ type: 'string' }], [text]));

test('default: a string, and the 32 bytes of an old token', () => {
  expect(readText(string('Wrapped Ether'), 64)).toBe('Wrapped Ether');
  expect(readText(answered(stringToHex('MKR', { size: 32 })), 64)).toBe('MKR');
});

test('behavior: a failed read, another encoding and an empty string are no text', () => {
  expect(readText({ ok: false, size: 0, words: '0x' }, 64)).toBeNull();
  expect(readText(answered(`0x${'11'.repeat(96)}`), 64)).toBeNull();
  expect(readText(string(''), 64)).toBeNull();
});

test('behavior: a name without end is cut, whatever length it claims', () => {
  expect(readText(string('a'.repeat(2_000)), 64)).toBe(`${'a'.repeat(63)}…`);
});

test.each([
  ['control characters', 'USD\u0000\u0007\u001b[31mC', 'USD [31mC'],
  ['line breaks', 'one\r\n\ttwo', 'one two'],
  ['bidirectional overrides', 'USD\u202eCDSU', 'USD CDSU'],
  ['isolates and marks', '\u2066a\u2069\u200e\u200f', 'a'],
  ['zero width', 'U\u200bS\u200dD\ufeffC', 'U S D C'],
  ['private use', 'a\ue000b', 'a b'],
])('behavior: %s do not pass', (_what, text, tame) => {
  expect(tameText(text, 64)).toBe(tame);
});

test('behavior: letters of any script and emoji pass, piled marks do not', () => {
  expect(tameText('Ünïcödé 日本 🦊', 64)).toBe('Ünïcödé 日本 🦊');
  expect([...tameText(`Z${'\u0300'.repeat(40)}`, 64)].length).toBeLessThanOrEqual(3);
});

test('behavior: cutting counts characters, not their halves', () => {
  expect(tameText('🦊🦊🦊', 2)).toBe('🦊…');
});
