import { expect, test } from 'vitest';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { OrderSize } from '../query/sizeOrder.ts';
import { isBeyondSupply, isTried } from './market.ts';

const marketOf = (amountIn: bigint, supply: bigint | undefined, surveyed = false) => ({
  states: { tokens: supply === undefined ? [] : [{ supply }] } as unknown as StateReading,
  size: { amountIn, surveyed } as OrderSize,
});

test('a size exceeds the supply from one base unit above it, if the supply was read', () => {
  expect(isBeyondSupply(marketOf(101n, 100n))).toBe(true);
  expect(isBeyondSupply(marketOf(100n, 100n))).toBe(false);
  expect(isBeyondSupply(marketOf(101n, 0n))).toBe(false);
  expect(isBeyondSupply(marketOf(1n, undefined))).toBe(false);
});

test('pools are tried for a sale within the supply, and to price a size in USD', () => {
  expect(isTried(marketOf(1n, 100n))).toBe(true);
  expect(isTried(marketOf(0n, 100n))).toBe(false);
  expect(isTried(marketOf(0n, 100n, true))).toBe(true);
  expect(isTried(marketOf(101n, 100n))).toBe(false);
  expect(isTried(marketOf(101n, 100n, true))).toBe(false);
});
