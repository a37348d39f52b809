import { expect, test } from 'vitest';
import { Memory } from './memory.ts';

const fill = (maxEntries: number, ...keys: string[]) => {
  const memory = new Memory<string, number>({ maxEntries });
  for (const [index, key] of keys.entries()) memory.set(key, index);
  return memory;
};
const read = <V extends NonNullable<unknown>>(memory: Memory<string, V>, ...keys: string[]) =>
  keys.map((key) => memory.get(key));

test('evicts the least recently used entry beyond the limit', () => {
  expect(read(fill(2, 'a', 'b', 'c'), 'a', 'b', 'c')).toEqual([undefined, 1, 2]);
});

test('a read or a second write protects an entry from the next eviction', () => {
  const memory = fill(3, 'a', 'b', 'c');
  memory.get('a');
  memory.set('b', 7);
  memory.set('d', 8);
  expect(read(memory, 'a', 'b', 'c', 'd')).toEqual([0, 7, undefined, 8]);
});

test('writing a known key evicts nothing', () => {
  const memory = fill(2, 'a', 'b');
  memory.set('b', 3);
  expect(read(memory, 'a', 'b')).toEqual([0, 3]);
});

test('forget removes one entry', () => {
  const memory = fill(2, 'a', 'b');
  memory.forget('a');
  memory.forget('unknown');
  expect(read(memory, 'a', 'b')).toEqual([undefined, 1]);
});

test('a memory without a clock keeps its entries', () => {
  const memory = new Memory<string, number>({ maxEntries: 1 });
  memory.set('a', 1);
  expect(memory.get('a')).toBe(1);
});

/** Values are their own sizes. */
const sized = (maxBytes: number, ...values: string[]) => {
  const memory = new Memory<string, string>({ maxEntries: 100, maxBytes, bytesOf: ({ length }) => length });
  for (const value of values) memory.set(value[0] ?? '', value);
  return memory;
};

test('evicts the least recently used entries beyond the limit in bytes', () => {
  expect(read(sized(6, 'aaa', 'bbb', 'cc'), 'a', 'b', 'c')).toEqual([undefined, 'bbb', 'cc']);
  expect(read(sized(6, 'a', 'bb', 'cccccc'), 'a', 'b', 'c')).toEqual([undefined, undefined, 'cccccc']);
});

test('an entry above the limit in bytes is not kept, and the next ones are', () => {
  const memory = sized(3, 'aaaa');
  expect(memory.get('a')).toBeUndefined();
  memory.set('b', 'bbb');
  expect(memory.get('b')).toBe('bbb');
});

test('replaced, forgotten and expired entries take no bytes', () => {
  let now = 0;
  const memory = new Memory<string, string>({
    ...{ maxEntries: 100, maxBytes: 4, bytesOf: ({ length }) => length, keptMs: 10, now: () => now },
  });
  for (let count = 0; count < 3; count += 1) memory.set('a', 'aaaa');
  memory.forget('a');
  memory.set('b', 'bbb');
  memory.set('c', 'c');
  expect(read(memory, 'b', 'c')).toEqual(['bbb', 'c']);
  now = 10;
  expect(read(memory, 'b', 'c')).toEqual([undefined, undefined]);
  memory.set('d', 'dddd');
  expect(memory.get('d')).toBe('dddd');
});

test('an entry expires at the end of its time, which may depend on its value or on the call', () => {
  let now = 0;
  const memory = new Memory<string, number>({ maxEntries: 9, keptMs: (value) => value, now: () => now });
  memory.set('a', 5);
  memory.set('b', Number.POSITIVE_INFINITY);
  memory.set('c', 5, 7);
  now = 4;
  expect(read(memory, 'a', 'c')).toEqual([5, 5]);
  now = 5;
  expect(read(memory, 'a', 'c')).toEqual([undefined, 5]);
  now = 7;
  expect(read(memory, 'b', 'c')).toEqual([Number.POSITIVE_INFINITY, undefined]);
});
