import { expect, test } from 'vitest';
import { toReplies } from './toReplies.ts';

const errorOf = (body: unknown, count: number): unknown => {
  try {
    return toReplies(body, count, 'base-1');
  } catch (error) {
    return error;
  }
};

test('sorts replies by their ids', () => {
  const error = { code: 3, message: 'execution reverted' };
  expect(
    toReplies(
      [
        { id: 1, error },
        { id: 0, result: null },
      ],
      2,
      'base-1',
    ),
  ).toEqual([{ result: null }, { error }]);
});

test('ignores replies to calls that were not sent', () => {
  expect(
    toReplies(
      [
        { id: 5, result: 'x' },
        { id: 0, result: '0x1' },
      ],
      1,
      'base-1',
    ),
  ).toEqual([{ result: '0x1' }]);
});

test.each([
  ['a missing reply', [{ id: 0, result: 1 }], 3, 'base-1 returned no reply to call 2 of 3.'],
  ['no reply', [], 1, 'base-1 returned no reply to call 1 of 1.'],
  ['neither result nor error', { id: 0 }, 1, 'base-1 returned a body that is not JSON-RPC.'],
  ['an error without a code', { id: 0, error: { message: 'no' } }, 1, 'base-1 returned a body that is not JSON-RPC.'],
  ['a string', 'hello', 1, 'base-1 returned a body that is not JSON-RPC.'],
  ['null', null, 1, 'base-1 returned a body that is not JSON-RPC.'],
])('throws an error of a node that answered for %s', (_, body, count, message) => {
  expect(errorOf(body, count)).toMatchObject({ name: 'RpcTransportError', message, answered: true });
});
