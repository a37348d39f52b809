import { expect, test } from 'vitest';
import { addressOf, poolOf, tokenA, tokenB, tokenC } from '../../../tests/support/engine/testProbe.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { KnownPool } from '../../pools/stateQuery.ts';
import { createMarketMemory, type LastRead, withKnown } from './marketMemory.ts';

const known = (digit: string): KnownPool => ({ ref: poolOf(addressOf(digit)), sells: 'token0' });
const states = { pools: [] } as unknown as StateReading;
const readWith = (more: Partial<LastRead> = {}): LastRead => ({
  ...{ states, tail: 'tail', blockHash: '0x01', words: '0x' },
  locations: { known: [known('1')], pairs: [], foundAt: 1_000 } as unknown as LastRead['locations'],
  ...more,
});
const pair = { tokenIn: tokenA, tokenOut: tokenB };

test('a market is found by both tokens and their direction', () => {
  const memory = createMarketMemory(() => 1_000);
  const read = readWith();
  memory.set(pair, read);
  expect(memory.get(pair)).toBe(read);
  expect(memory.get({ tokenIn: tokenB, tokenOut: tokenA })).toBeUndefined();
  expect(memory.get({ tokenIn: tokenA, tokenOut: tokenC })).toBeUndefined();
  memory.forget(pair);
  expect(memory.get(pair)).toBeUndefined();
});

test('a read without its locations is returned after a minute', () => {
  const clock = { now: 60_999 };
  const memory = createMarketMemory(() => clock.now);
  const read = readWith();
  memory.set(pair, read);
  expect(memory.get(pair)).toBe(read);
  clock.now += 1;
  expect(memory.get(pair)).toEqual({ ...read, locations: undefined });
});

test('a read that had no locations is returned unchanged', () => {
  const memory = createMarketMemory(() => 10_000_000);
  const read = readWith({ locations: undefined });
  memory.set(pair, read);
  expect(memory.get(pair)).toBe(read);
});

test('keeps the 256 markets that were used last', () => {
  const memory = createMarketMemory(() => 1_000);
  const pairOf = (index: number) => ({ ...pair, tokenOut: `0x${index.toString(16).padStart(40, '0')}` as const });
  for (let index = 0; index < 257; index++) memory.set(pairOf(index) as never, readWith());
  expect(memory.get(pairOf(0) as never)).toBeUndefined();
  expect(memory.get(pairOf(1) as never)).toBeDefined();
});

test('keeps answers of 8 MiB of characters in total, which take eight times as much decoded', () => {
  const memory = createMarketMemory(() => 1_000);
  const words = `0x${'0'.repeat(2 ** 22 - 2)}` as const;
  const other = { ...pair, tokenOut: tokenC };
  memory.set(pair, readWith({ words }));
  memory.set(other, readWith({ words }));
  expect(memory.get(pair)).toBeDefined();
  memory.set({ tokenIn: tokenC, tokenOut: tokenA }, readWith({ words: '0x' }));
  expect(memory.get(other)).toBeUndefined();
  expect(memory.get(pair)).toBeDefined();
});

test('all pairs are looked up again if a found pool is not among the locations', () => {
  const read = readWith();
  expect(withKnown(read, [known('1')])).toBe(read);
  expect(withKnown(read, [])).toBe(read);
  expect(withKnown(read, [known('1'), known('2')])).toEqual({ ...read, locations: undefined });
  expect(withKnown(undefined, [known('2')])).toBeUndefined();
  expect(withKnown(undefined, [])).toBeUndefined();
});
