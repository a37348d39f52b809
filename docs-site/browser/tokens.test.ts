import { expect, test } from 'vitest';
import { explorerLink } from './explorers.ts';
import { fromFragment, toFragment } from './permalink.ts';
import { rank } from './rank.ts';
import { findTokens, resolveToken } from './tokens.ts';

const token = (symbol: string, digit: string) => ({ chain: 'base', symbol, address: `0x${digit.repeat(40)}` });
const tokens = [token('USDC', '1'), token('WETH', '2'), token('USDbC', '3'), token('WETH', '4')];

test('default: an exact symbol comes first, then symbols that begin with the text', () => {
  expect(findTokens(tokens, 'usd').map(({ symbol }) => symbol)).toEqual(['USDC', 'USDbC']);
  expect(findTokens(tokens, 'usdbc')[0]?.symbol).toBe('USDbC');
  expect(findTokens(tokens, `0x${'4'.repeat(6)}`)).toEqual([tokens[3]]);
});

test('behavior: an ambiguous symbol does not resolve; an address does', () => {
  expect(resolveToken(tokens, 'weth')).toBeUndefined();
  expect(resolveToken(tokens, `0x${'4'.repeat(40)}`)).toBe(tokens[3]);
});

test('default: a link carries an answer unchanged', async () => {
  const shared = {
    request: { path: '/v1/quote', body: { sizeIn: '2.5' } },
    answer: { amountOut: '7493441364', note: 'ü→' },
    receipt: undefined,
  };
  const fragment = await toFragment(shared);
  expect(fragment).toMatch(/^#answer=[\w-]+$/);
  expect(await fromFragment(fragment)).toEqual(JSON.parse(JSON.stringify(shared)));
  expect(await fromFragment('#main')).toBeUndefined();
});

test('error: a link that would unpack to more than an answer is refused', async () => {
  const bomb = await toFragment({
    request: { path: '', body: {} },
    answer: { text: '0'.repeat(5_000_000) },
    receipt: undefined,
  });
  expect(bomb.length).toBeLessThan(20_000);
  await expect(fromFragment(bomb)).rejects.toThrow('too long');
});

test('default: each payment network has its explorer; other networks and malformed hashes get no link', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  expect(explorerLink('eip155:8453', hash)?.url).toBe(`https://basescan.org/tx/${hash}`);
  expect(explorerLink('eip155:137', hash)?.url).toBe(`https://polygonscan.com/tx/${hash}`);
  expect(explorerLink('eip155:42161', hash)?.url).toBe(`https://arbiscan.io/tx/${hash}`);
  expect(explorerLink('eip155:1', hash)).toBeUndefined();
  expect(explorerLink('__proto__', hash)).toBeUndefined();
  expect(explorerLink('eip155:8453', 'javascript:alert(1)')).toBeUndefined();
});

test('default: search matches all words and ranks headings first', () => {
  const entry = (title: string, text: string) => ({ url: `/${title}`, page: 'Guide', title, text });
  const entries = [entry('Other', 'confidence and retries'), entry('Confidence', 'rules'), entry('Flags', 'none')];
  expect(rank(entries, 'confidence').map(({ title }) => title)).toEqual(['Confidence', 'Other']);
  expect(rank(entries, 'confidence retries').map(({ title }) => title)).toEqual(['Other']);
  expect(rank(entries, '  ')).toEqual([]);
});

test('default: search finds other forms of a word', () => {
  const entry = { url: '/run', page: 'Run', title: 'Upgrade', text: 'A page for key rotation and each alert.' };
  for (const query of ['rotate key', 'rotating keys', 'alerts', 'upgraded'])
    expect(rank([entry], query)).toEqual([entry]);
  expect(rank([entry], 'rot keyboard')).toEqual([]);
});
