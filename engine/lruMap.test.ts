import { expect, test } from 'vitest';
import { LruMap } from './lruMap.ts';

const fill = (limit: number, ...keys: string[]) => {
  const map = new LruMap<string, number>(limit);
  for (const [index, key] of keys.entries()) map.set(key, index);
  return map;
};
const read = (map: LruMap<string, number>, ...keys: string[]) => keys.map((key) => map.get(key));

test('default: evicts the least recently used entry beyond the limit', () => {
  expect(read(fill(2, 'a', 'b', 'c'), 'a', 'b', 'c')).toEqual([undefined, 1, 2]);
});

test('behavior: a read or a second write protects an entry from the next eviction', () => {
  const map = fill(3, 'a', 'b', 'c');
  map.get('a');
  map.set('b', 7);
  map.set('d', 8);
  expect(read(map, 'a', 'b', 'c', 'd')).toEqual([0, 7, undefined, 8]);
});

test('behavior: writing a known key evicts nothing', () => {
  const map = fill(2, 'a', 'b');
  map.set('b', 3);
  expect(read(map, 'a', 'b')).toEqual([0, 3]);
});

test('behavior: delete removes one entry', () => {
  const map = fill(2, 'a', 'b');
  map.delete('a');
  expect(read(map, 'a', 'b')).toEqual([undefined, 1]);
});
