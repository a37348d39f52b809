import { encodeAbiParameters, type Hex, padHex, size, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import type { ExitReading, TextReading } from '../exit/exitTypes.ts';
import { describeIdentity, readText } from './identity.ts';
import { sanitizeText } from './sentence.ts';

/** The reading of the returned data; it keeps the first five words. */
function readingOf(data: Hex): TextReading {
  return { ok: true, size: size(data) / 32, words: padHex(`0x${data.slice(2, 2 + 320)}`, { size: 160, dir: 'right' }) };
}
const string = (text: string) => readingOf(encodeAbiParameters([{ type: 'string' }], [text]));

test('default: reads an ABI string, and text in 32 bytes', () => {
  expect(readText(string('Wrapped Ether'), 64)).toBe('Wrapped Ether');
  expect(readText(readingOf(stringToHex('MKR', { size: 32 })), 64)).toBe('MKR');
});

test('behavior: null for a failed read, another encoding or an empty string', () => {
  expect(readText({ ok: false, size: 0, words: '0x' }, 64)).toBeNull();
  expect(readText(readingOf(`0x${'11'.repeat(96)}`), 64)).toBeNull();
  expect(readText(string(''), 64)).toBeNull();
});

test('behavior: a name of 2,000 characters is cut at 64', () => {
  expect(readText(string('a'.repeat(2_000)), 64)).toBe(`${'a'.repeat(63)}…`);
});

test.each([
  ['control characters', 'USD\u0000\u0007\u001b[31mC', 'USD [31mC'],
  ['line breaks', 'one\r\n\ttwo', 'one two'],
  ['bidirectional overrides', 'USD\u202eCDSU', 'USD CDSU'],
  ['isolates and marks', '\u2066a\u2069\u200e\u200f', 'a'],
  ['zero width', 'U\u200bS\u200dD\ufeffC', 'U S D C'],
  ['private use', 'a\ue000b', 'a b'],
])('behavior: removes %s', (_what, text, sanitized) => {
  expect(sanitizeText(text, 64)).toBe(sanitized);
});

test('behavior: keeps letters of any script and emoji, and removes a stack of combining marks', () => {
  expect(sanitizeText('Ünïcödé 日本 🦊', 64)).toBe('Ünïcödé 日本 🦊');
  expect([...sanitizeText(`Z${'\u0300'.repeat(40)}`, 64)].length).toBeLessThanOrEqual(3);
});

test('behavior: counts an emoji as one character when it cuts', () => {
  expect(sanitizeText('🦊🦊🦊', 2)).toBe('🦊…');
});

const identityOf = (change: Partial<ExitReading>) =>
  describeIdentity({
    hasCode: true,
    decimals: 2,
    totalSupply: 12_345n,
    name: string('n'.repeat(65)),
    symbol: string('s'.repeat(33)),
    ...change,
  } as ExitReading);

test('describes the token, with its supply in whole tokens', () => {
  expect(identityOf({})).toMatchObject({
    name: `${'n'.repeat(63)}…`,
    symbol: `${'s'.repeat(31)}…`,
    decimals: 2,
    totalSupply: expect.closeTo(123.45, 10),
    totalSupplyRaw: 12_345n,
    note: expect.stringContaining('Read from the token contract'),
  });
  expect(identityOf({ hasCode: false }).note).toContain('no contract');
});

test.each([
  [{ decimals: undefined }, { decimals: null, totalSupply: null, totalSupplyRaw: 12_345n }],
  [{ totalSupply: undefined }, { decimals: 2, totalSupply: null, totalSupplyRaw: null }],
  [
    { decimals: 0, totalSupply: 0n },
    { decimals: 0, totalSupply: 0, totalSupplyRaw: 0n },
  ],
])('a value that could not be read is null (%#)', (change, block) => {
  expect(identityOf(change)).toMatchObject(block);
});

test('a string with another offset is null, and text in one word ends at its first zero byte', () => {
  const data = encodeAbiParameters([{ type: 'string' }], ['Wrapped Ether']);
  const moved = `0x${'40'.padStart(64, '0')}${data.slice(66)}` as Hex;
  expect(readText(readingOf(moved), 64)).toBeNull();
  expect(readText(readingOf(stringToHex('a\u0000b', { size: 32 })), 64)).toBe('a');
  expect(readText({ ...readingOf(data), ok: false }, 64)).toBeNull();
  expect(readText({ ...readingOf(data), size: 0 }, 64)).toBeNull();
});

test('reads up to three words of a string, to its first zero byte', () => {
  expect(readText(string('x'.repeat(96)), 200)).toBe('x'.repeat(96));
  expect(readText(string('x'.repeat(97)), 200)).toBe('x'.repeat(96));
  expect(readText(string(`${'x'.repeat(40)}\u0000y`), 200)).toBe('x'.repeat(40));
});
