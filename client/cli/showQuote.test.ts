import { expect, test } from 'vitest';
import type { Quote } from '../wire.ts';
import { showQuote } from './showQuote.ts';

const unsized = {
  chain: 'base',
  tokenIn: '0xa',
  tokenOut: '0xb',
  amountIn: '0',
  amountOut: '0',
  blockNumber: '7',
  decimals: { in: 18, out: 6 },
  route: { dex: 'none', path: [], pools: [], legs: [] },
  flags: [{ code: 'NO_ROUTE', severity: 'warn', message: 'The size is less than one base unit of tokenIn.' }],
  validUntil: 0,
} as unknown as Quote;

test('default: shows the NO_ROUTE message first when the quote has no route', () => {
  expect(showQuote(unsized)).toMatch(/^The size is less than one base unit of tokenIn\./);
});

test('behavior: a leg of a split route shows its share of the token that it sells', () => {
  const leg = { venue: 'uniswap-v3', feePips: 500, pool: '0x1', tokenIn: '0xa', tokenOut: '0xb' };
  const legs = [6_000, 4_000].map((shareBps) => ({ ...leg, shareBps }));
  const shown = showQuote({ ...unsized, amountOut: '1', route: { ...unsized.route, legs } } as unknown as Quote);
  expect(shown).toContain('uniswap-v3 (0.05 %)  60 % of 0xa → 0xb');
  expect(shown).toContain('40 % of 0xa');
});
