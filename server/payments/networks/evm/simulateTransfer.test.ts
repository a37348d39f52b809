import { expect, test } from 'vitest';
import { headTag } from './simulateTransfer.ts';

const secondsAgo = (seconds: number) => BigInt(Math.floor(Date.now() / 1000) - seconds);

test('default: a transfer is simulated at the latest block', () => {
  expect(headTag(secondsAgo(0))).toBe('latest');
  expect(headTag(secondsAgo(30))).toBe('latest');
});

test('behavior: on a head that is over a minute old, the pending block gives the time', () => {
  expect(headTag(secondsAgo(120))).toBe('pending');
});
