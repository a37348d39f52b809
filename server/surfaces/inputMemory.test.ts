import { expect, test } from 'vitest';
import { catalogue, RequestError } from '../../router/index.ts';
import { createInputMemory } from './inputMemory.ts';

const [item] = catalogue;
if (!item) throw new Error('Nothing is sold.');
const json = 'application/json';
const question = (more = '') => Buffer.from(JSON.stringify(item.exampleRequest) + more);

test('default: the same bytes under the same type are read once', () => {
  const read = createInputMemory();
  expect(read(item, json, question())).toBe(read(item, json, question()));
  expect(read(item, json, question())).not.toBe(read(item, `${json}; charset=utf-8`, question()));
});

test('behavior: neither a long body nor a long type is kept', () => {
  const read = createInputMemory();
  const longType = `${json}; x=${'a'.repeat(12_000)}`;
  expect(read(item, longType, question())).not.toBe(read(item, longType, question()));
  const longBody = question(' '.repeat(2_000));
  expect(read(item, json, longBody)).not.toBe(read(item, json, longBody));
});

test('error: RequestError: what a type and a body are together says nothing of another type and body', () => {
  const read = createInputMemory();
  read(item, `${json}; a`, question());
  expect(() => read(item, json, Buffer.from(`; a ${question()}`))).toThrow(RequestError);
  expect(() => read(item, json, Buffer.from(`; a\n${question()}`))).toThrow(RequestError);
});
