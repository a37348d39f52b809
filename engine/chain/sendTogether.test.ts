import { expect, test } from 'vitest';
import { RpcTransportError } from '../errors.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { sendTogether } from './sendTogether.ts';
import { testNode } from './testNode.ts';

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
