import { expect, test } from 'vitest';
import { headTag } from './simulateTransfer.ts';

const secondsAgo = (seconds: number) => BigInt(Math.floor(Date.now() / 1000) - seconds);

test('default: a transfer is simulated at the latest block', () => {
  expect(headTag(secondsAgo(0))).toBe('latest');
  expect(headTag(secondsAgo(30))).toBe('latest');
});

test('behavior: a transfer is simulated at the pending block if the head is over a minute old', () => {
  expect(headTag(secondsAgo(120))).toBe('pending');
});
