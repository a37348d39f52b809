import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { RpcTransportError } from '../errors.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { sendTogether } from './sendTogether.ts';

const callsOf = (count: number): RpcCall[] =>
  Array.from({ length: count }, (_, index) => ({ method: 'eth_call', params: [index] }));
const echo = ({ params }: RpcCall): RpcReply => ({ result: params[0] });

/** A node that refuses batches of more than `limit` calls, and the sizes of the requests that it received. */
function limitedNode(limit: number) {
  const sizes: number[] = [];
  const node = testNode({
    chain: 'base',
    async send(calls) {
      sizes.push(calls.length);
      if (calls.length > limit) throw new RpcTransportError('base-1 returned HTTP 500.', { answered: true });
      return calls.map(echo);
    },
  });
  return { node, sizes };
}

test.each([1, 3, 10])(
  'learns that a node accepts batches of %i calls, and splits later batches without a refusal',
  async (limit) => {
    const { node, sizes } = limitedNode(limit);
    const expected = callsOf(23).map(echo);
    expect(await sendTogether(node, callsOf(23))).toEqual(expected);
    sizes.length = 0;
    expect(await sendTogether(node, callsOf(23))).toEqual(expected);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
  },
);

test('a failure of a batch that worked before does not lower the limit', async () => {
  const { node } = limitedNode(100);
  await sendTogether(node, callsOf(8));
  node.send = async () => {
    throw new RpcTransportError('base-1 returned HTTP 500.', { answered: true });
  };
  await expect(sendTogether(node, callsOf(8))).rejects.toThrow(RpcTransportError);
  expect(node.memory.maxBatch).toBe(Number.POSITIVE_INFINITY);
});

test.each<[string, RpcReply]>([
  ['null', { result: null }],
  ['header not found', { error: { code: -32_000, message: 'header not found' } }],
])('requests a block again that the node does not have yet (%s), without the other calls', async (_what, missing) => {
  let asked = 0;
  const sizes: number[] = [];
  const node = testNode({
    chain: 'base',
    async send(calls) {
      sizes.push(calls.length);
      return calls.map((call) => {
        if (call.method === 'eth_call') return echo(call);
        asked += 1;
        return asked < 3 ? missing : { result: { number: '0x7' } };
      });
    },
  });
  const header = { method: 'eth_getBlockByNumber', params: ['0x7', false] };
  expect(await sendTogether(node, [header, ...callsOf(2)])).toEqual([
    { result: { number: '0x7' } },
    ...callsOf(2).map(echo),
  ]);
  expect(sizes).toEqual([3, 1, 1]);
});

test('sends replies that did not fit into the response of a batch again, one by one', async () => {
  const node = testNode({
    chain: 'base',
    send: async (calls) =>
      calls.map((call, index) =>
        index > 1 ? { error: { code: -32_003, message: 'response too large' } } : echo(call),
      ),
  });
  expect(await sendTogether(node, callsOf(5))).toEqual(callsOf(5).map(echo));
});

const tooLarge: RpcReply = { error: { code: -32_003, message: 'response too large' } };
const named = (method: string, param: unknown): RpcCall => ({ method, params: [param] });

/** A node that records the parameters of each request, and replies with `reply`. */
function recordingNode(reply: (call: RpcCall, request: readonly RpcCall[]) => RpcReply, memory: object = {}) {
  const requests: unknown[][] = [];
  const node = testNode(
    {
      chain: 'base',
      async send(calls) {
        requests.push(calls.map(({ params }) => params[0]));
        return calls.map((call) => reply(call, calls));
      },
    },
    { checked: true, ...memory },
  );
  return { node, requests };
}

test('a single reply that is too large is returned', async () => {
  const { node, requests } = recordingNode(() => tooLarge);
  expect(await sendTogether(node, callsOf(1))).toEqual([tooLarge]);
  expect([requests.length, node.memory.maxReplyBytes]).toEqual([1, undefined]);
});

test('a node that refused a response as too large gets simulations and logs one by one from then on', async () => {
  const { node, requests } = recordingNode((call, request) => (request.length > 3 ? tooLarge : echo(call)));
  const calls = [named('eth_simulateV1', 0), named('eth_call', 1), named('eth_getLogs', 2), named('eth_call', 3)];
  const expected = calls.map(echo);
  expect(await sendTogether(node, calls)).toEqual(expected);
  expect(requests).toEqual([[0, 1, 2, 3], [0], [1], [2], [3]]);
  expect(node.memory.maxReplyBytes).toBe(JSON.stringify(calls.map(() => tooLarge)).length);
  requests.length = 0;
  expect(await sendTogether(node, calls)).toEqual(expected);
  expect(requests.toSorted((a, b) => b.length - a.length)).toEqual([[1, 3], [0], [2]]);
  const [logs, simulation] = [named('eth_getLogs', 5), named('eth_simulateV1', 6)];
  expect(await sendTogether(node, [logs, simulation])).toEqual([{ result: 5 }, { result: 6 }]);
  requests.length = 0;
  expect(await sendTogether(node, callsOf(4))).toEqual(
    callsOf(4)
      .map(() => tooLarge)
      .map((_, index) => ({ result: index })),
  );
  expect(requests[0]).toEqual([0, 1, 2, 3]);
});

test('the size of the first response that was too large is kept', async () => {
  const { node } = recordingNode((call, request) => (request.length > 1 ? tooLarge : echo(call)), { maxReplyBytes: 7 });
  await sendTogether(node, callsOf(3));
  expect(node.memory.maxReplyBytes).toBe(7);
});

test('replies that fitted into the response are not requested again', async () => {
  const { node, requests } = recordingNode((call, request) =>
    request.length > 1 && call.params[0] === 1 ? tooLarge : echo(call),
  );
  expect(await sendTogether(node, callsOf(3))).toEqual(callsOf(3).map(echo));
  expect(requests).toEqual([[0, 1, 2], [1]]);
});

test('the largest batch that a node accepted is kept, and a larger one may be refused', async () => {
  const { node, sizes } = limitedNode(4);
  await sendTogether(node, callsOf(4));
  await sendTogether(node, callsOf(2));
  expect(node.memory.provenBatch).toBe(4);
  await sendTogether(node, callsOf(5));
  expect([node.memory.maxBatch, sizes]).toEqual([3, [4, 2, 5, 3, 2]]);
});

test.each([
  ['that did not arrive', new RpcTransportError('connection refused')],
  ['that is no transport error', new RangeError('wrong')],
])('a batch %s is not split', async (_, failure) => {
  let requests = 0;
  const node = testNode({
    chain: 'base',
    send: () => {
      requests += 1;
      return Promise.reject(failure);
    },
  });
  await expect(sendTogether(node, callsOf(4))).rejects.toBe(failure);
  expect([requests, node.memory.maxBatch]).toEqual([1, Number.POSITIVE_INFINITY]);
});

describe('a block that stays missing', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('is requested seven times within 2.15 s, and its reply is returned', async () => {
    const missing = { result: null };
    const { node, requests } = recordingNode(() => missing);
    const work = sendTogether(node, [{ method: 'eth_getBlockByNumber', params: ['0x7', false] }]);
    await vi.advanceTimersByTimeAsync(2_149);
    expect(requests).toHaveLength(6);
    await vi.advanceTimersByTimeAsync(1);
    expect(await work).toEqual([missing]);
    expect(requests).toHaveLength(7);
  });
});

test('null is a missing block only for a header, and a failed call is not sent again', async () => {
  const reverted: RpcReply = { error: { code: 3, message: 'execution reverted' } };
  const { node, requests } = recordingNode(({ params }) => (params[0] === 0 ? { result: null } : reverted));
  expect(await sendTogether(node, callsOf(2))).toEqual([{ result: null }, reverted]);
  expect(requests).toHaveLength(1);
});
