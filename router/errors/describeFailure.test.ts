import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../../engine/index.ts';
import { describeFailure } from './describeFailure.ts';
import { RequestError } from './requestError.ts';
import { toErrorBody } from './toErrorBody.ts';
import { toTrpcErrorBody } from './toTrpcErrorBody.ts';

const secret = 'https://node.example/secret';

test.each([
  [
    new ChainUnavailableError('base', 7),
    'UPSTREAM_UNAVAILABLE',
    'No RPC node of base is available. Try again in 7 s.',
    7,
  ],
  [new DeadlineExceededError('base', 1_500), 'DEADLINE_EXCEEDED', 'base did not answer within 1500 ms. Try again.', 2],
  [
    new RpcTransportError(secret),
    'UPSTREAM_UNAVAILABLE',
    'No node of the chain returned a usable response. Try again in 5 s.',
    5,
  ],
  [
    new TypeError(secret),
    'INTERNAL',
    'The service failed and could not answer. If this happens again, send this requestId to the operator.',
    undefined,
  ],
])('%o becomes %s with a time to retry, itself only as the cause', (thrown, code, detail, retryAfterSeconds) => {
  for (const error of [thrown, new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: thrown })]) {
    const described = describeFailure(error);
    expect(described).toMatchObject({ code, detail, retryAfterSeconds, cause: thrown });
    expect(JSON.stringify(toErrorBody(described, { requestId: 'id', baseUrl: '' }))).not.toContain('secret');
  }
});

test('a refused request stays as it is', () => {
  const refused = new RequestError('UNSUPPORTED_CHAIN', 'No.');
  expect(describeFailure(refused)).toBe(refused);
  expect(describeFailure(new TRPCError({ code: 'BAD_REQUEST', cause: refused }))).toBe(refused);
});

test('only a failed input schema is an error of the client', () => {
  const { error } = z.string().safeParse(7, { reportInput: true });
  const cause = error as z.ZodError;
  expect(describeFailure(new TRPCError({ code: 'BAD_REQUEST', cause }))).toMatchObject({
    code: 'INVALID_REQUEST',
    detail: 'The body does not match the schema: see issues.',
    issues: [{ path: '', message: expect.stringContaining('Got 7 (number).') }],
    cause,
  });
  // An answer that does not match its schema is a fault of the service.
  expect(describeFailure(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause }))).toMatchObject({ code: 'INTERNAL' });
  expect(describeFailure(new TRPCError({ code: 'BAD_REQUEST', message: 'odd' }))).toMatchObject({ code: 'INTERNAL' });
});

const request = { requestId: '7f', baseUrl: 'https://truefill.example' };

test('the body of an error has the fields of RFC 9457, and issues and example only if there are any', () => {
  const plain = {
    type: 'https://truefill.example/guides/errors#NOT_FOUND',
    title: 'Not found',
    code: 'NOT_FOUND',
    status: 404,
    detail: 'No such path.',
    charged: false,
    instance: 'urn:uuid:7f',
    docs: 'https://truefill.example/docs/',
    requestId: '7f',
  };
  expect(toErrorBody(new RequestError('NOT_FOUND', 'No such path.'), request)).toEqual(plain);
  const issues = [{ path: 'sizeIn', message: 'Must be positive.' }];
  const full = new RequestError('NOT_FOUND', 'No such path.', { issues, exampleRequest: { sizeIn: '1' } });
  expect(toErrorBody(full, request)).toEqual({ ...plain, issues, exampleRequest: { sizeIn: '1' } });
});

test("tRPC's form of an error has the code and the status of the table", () => {
  const reason = toErrorBody(new RequestError('PAYMENT_REQUIRED', 'Pay.'), request);
  expect(toTrpcErrorBody(reason, 'quote')).toEqual({
    error: {
      code: -32002,
      message: 'Pay.',
      data: { code: 'PAYMENT_REQUIRED', httpStatus: 402, path: 'quote', reason },
    },
  });
});
