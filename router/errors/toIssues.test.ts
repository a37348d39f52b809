import { expect, test } from 'vitest';
import { z } from 'zod';
import { toIssues } from './toIssues.ts';

const schema = z
  .strictObject({
    size: z.string('Must be a decimal string.'),
    nested: z.strictObject({ list: z.array(z.int('Must be an integer.')) }).optional(),
  })
  .refine((body) => body.size !== 'refused', { path: ['size'], message: 'Must differ.' });

const issuesOf = (body: unknown, reportInput = true) => {
  const { error } = schema.safeParse(body, { reportInput });
  return error && toIssues(error);
};

test.each([
  ['a number', { size: 2.5 }, 'Must be a decimal string. Got 2.5 (number).'],
  ['a boolean', { size: true }, 'Must be a decimal string. Got true (boolean).'],
  ['null', { size: null }, 'Must be a decimal string. Got null.'],
  ['an array', { size: ['1'] }, 'Must be a decimal string. Got an array.'],
  ['an object', { size: {} }, 'Must be a decimal string. Got an object.'],
  ['nothing', {}, 'Must be a decimal string. It is missing.'],
])('contains the field and the value received: %s', (_name, body, message) => {
  expect(issuesOf(body)).toEqual([{ path: 'size', message }]);
});

test('quotes text, cut after 48 characters', () => {
  const list = (item: string) => issuesOf({ size: '1', nested: { list: [item] } })?.[0]?.message;
  expect(list('"a"\n')).toBe('Must be an integer. Got "\\"a\\"\\n".');
  expect(list('a'.repeat(48))).toBe(`Must be an integer. Got "${'a'.repeat(48)}".`);
  expect(list('a'.repeat(49))).toBe(`Must be an integer. Got "${'a'.repeat(48)}…".`);
});

test('contains the path of a nested field', () => {
  expect(issuesOf({ size: '1', nested: { list: [1, 1.5] } })?.[0]?.path).toBe('nested.list.1');
});

test('lists each unknown property', () => {
  const message = 'Unknown property; remove it.';
  expect(issuesOf({ size: '1', a: 1, nested: { list: [], b: 1, c: 1 } })).toEqual([
    { path: 'nested.b', message },
    { path: 'nested.c', message },
    { path: 'a', message },
  ]);
});

test('contains no value for a rule on several fields, or without the input', () => {
  expect(issuesOf({ size: 'refused' })).toEqual([{ path: 'size', message: 'Must differ.' }]);
  expect(issuesOf({ size: 1 }, false)).toEqual([{ path: 'size', message: 'Must be a decimal string.' }]);
});
