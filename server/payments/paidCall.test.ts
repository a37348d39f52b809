import { expect, test } from 'vitest';
import { attachCall, callOf, type PaidCall } from './paidCall.ts';

test('a call is found by its body, not by a copy of the body', () => {
  const body = { tokenIn: '0x01' };
  const call = { requestId: 'r1' } as PaidCall;
  attachCall(body, call);
  expect(callOf(body)).toBe(call);
  expect(JSON.stringify(body)).toBe('{"tokenIn":"0x01"}');
  for (const other of [{ ...body }, null, undefined]) expect(() => callOf(other)).toThrow(TypeError);
});
