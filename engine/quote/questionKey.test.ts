import { expect, test } from 'vitest';
import { questionKey } from './questionKey.ts';

const question = {
  chain: 'base',
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  size: { tokenIn: '1.5' },
} as const;

test('default: letter case of addresses and zeros at the end of a size make no other question', () => {
  const tokenOut = question.tokenOut.toLowerCase() as `0x${string}`;
  const upper = `0x${question.tokenOut.slice(2).toUpperCase()}` as const;
  for (const spelled of ['1.5', '1.50', '1.5000000000000000000000000'].map((tokenIn) => ({ tokenIn }))) {
    for (const out of [question.tokenOut, tokenOut, upper]) {
      expect(questionKey({ ...question, tokenOut: out, size: spelled })).toBe(questionKey(question));
    }
  }
  expect(questionKey({ ...question, size: { tokenIn: '10.0' } })).toBe(
    questionKey({ ...question, size: { tokenIn: '10' } }),
  );
});

test('behavior: anything else is another question', () => {
  const others = [
    { ...question, chain: 'polygon' as const },
    { ...question, tokenIn: question.tokenOut, tokenOut: question.tokenIn },
    { ...question, size: { tokenIn: '15' } },
    { ...question, size: { tokenIn: '0.15' } },
    { ...question, size: { usd: '1.5' } },
    { ...question, size: { tokenIn: '1.50000000000000000000000001' } },
  ];
  expect(new Set([question, ...others].map(questionKey)).size).toBe(7);
});
