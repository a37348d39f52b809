import { expect, test } from 'vitest';
import type { Quote } from '../wire.ts';
import { showQuote } from './showQuote.ts';

const unsized = {
  chain: 'base',
  amountIn: '0',
  amountOut: '0',
  blockNumber: '7',
  decimals: { in: 18, out: 6 },
  route: { dex: 'none', path: [], pools: [], legs: [] },
  flags: [{ code: 'NO_ROUTE', severity: 'warn', message: 'The size is less than one base unit of tokenIn.' }],
  validUntil: 0,
} as unknown as Quote;

test('behavior: without a route the service’s own reason stands first', () => {
  expect(showQuote(unsized)).toMatch(/^The size is less than one base unit of tokenIn\./);
});
