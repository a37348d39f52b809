import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { quoteExampleAnswer } from '../../router/quote/quoteExample.ts';
import { keepSwap, readSwap, type SwapRecord } from './swapRecords.ts';

const dayMs = 86_400_000;

/** A stand-in for the browser's storage: its items are own properties, as `Object.keys` lists them. */
class MemoryStorage {
  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(Reflect.get(this, key)) : null;
  }
  setItem(key: string, value: string): void {
    Reflect.set(this, key, value);
  }
  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
}
beforeEach(() => vi.stubGlobal('localStorage', new MemoryStorage()));
afterEach(() => vi.unstubAllGlobals());

const quoteOf = (index: number) => ({ ...quoteExampleAnswer, ts: index });
const recordOf = (ageDays: number, more: Partial<SwapRecord> = {}): SwapRecord => ({
  step: 'swap',
  account: `0x${'1'.repeat(40)}`,
  requestedAt: Date.now() - ageDays * dayMs,
  until: 0,
  ...more,
});
const result = { succeeded: true, block: '1' };
const stored = () => Object.keys(localStorage).filter((key) => key.startsWith('truefill.swap.'));

test('default: a record older than 90 days is removed with the next one', () => {
  keepSwap(quoteOf(1), recordOf(89));
  localStorage.setItem('other', 'stays');
  keepSwap(quoteOf(2), recordOf(91));
  keepSwap(quoteOf(3), recordOf(0));
  expect([1, 2, 3].map((index) => readSwap(quoteOf(index)) !== undefined)).toEqual([true, false, true]);
  expect(localStorage.getItem('other')).toBe('stays');
});

test('default: the newest 200 finished swaps stay, and every one without a result', () => {
  keepSwap(quoteOf(0), recordOf(50));
  for (let index = 1; index <= 203; index += 1) keepSwap(quoteOf(index), recordOf(40 - index / 10, { result }));
  expect(stored()).toHaveLength(201);
  expect(readSwap(quoteOf(0))).toBeDefined();
  expect([1, 3, 4].map((index) => readSwap(quoteOf(index)) !== undefined)).toEqual([false, false, true]);
});
