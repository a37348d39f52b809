import { expect, test } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { RpcTransportError } from '../errors.ts';
import { createBatch, resultOf } from './batch.ts';
import { BlockReplacedError } from './node.ts';
import type { RpcCall } from './rpcEndpoint.ts';

const call = (method: string): RpcCall => ({ method, params: [] });

/** Responds with the method names; a request that contains one of `large` exceeds the limit, together or alone. */
function nodeWith(large: readonly string[], together = Number.POSITIVE_INFINITY) {
  const sent: string[][] = [];
  const send = async (calls: readonly RpcCall[]) => {
    const methods = calls.map(({ method }) => method);
    sent.push(methods);
    if (calls.length > together || methods.some((method) => large.includes(method)))
      throw new RpcTransportError('too large', { tooLarge: true });
    return methods.map((result) => ({ result }));
  };
  const node = testNode({ chain: 'base', send }, { provenBatch: 100 });
  return { node, sent };
}

function mixed() {
  const batch = createBatch();
  return {
    batch,
    first: batch.add(call('a')),
    oversized: batch.addOptional(call('b')),
    other: batch.addOptional(call('c')),
    last: batch.add(call('d')),
  };
}

test('sends everything in one request', async () => {
  const { node, sent } = nodeWith([]);
  const { batch, first, oversized, last } = mixed();
  await batch.send(node);
  expect(sent).toEqual([['a', 'b', 'c', 'd']]);
  expect([first(), oversized(), last(), batch.lost]).toEqual([
    [{ result: 'a' }],
    { result: 'b' },
    [{ result: 'd' }],
    undefined,
  ]);
});

test('a response that is too large loses the optional calls except the first', async () => {
  const { node, sent } = nodeWith([], 3);
  const { batch, first, oversized, other, last } = mixed();
  await batch.send(node);
  expect(sent).toEqual([['a', 'b', 'c', 'd'], ['a', 'd'], ['b']]);
  expect([first(), last(), oversized(), other()]).toEqual([
    [{ result: 'a' }],
    [{ result: 'd' }],
    { result: 'b' },
    undefined,
  ]);
  expect(batch.lost).toMatch(/larger than the limit/);
});

test('an optional call that is too large by itself is lost, and the required ones stay', async () => {
  const { node } = nodeWith(['b']);
  const { batch, first, oversized } = mixed();
  await batch.send(node);
  expect([first(), oversized()]).toEqual([[{ result: 'a' }], undefined]);
});

test('required calls that are too large fail the request', async () => {
  const { batch } = mixed();
  await expect(batch.send(nodeWith(['a']).node)).rejects.toThrow('too large');
});

test('trySend returns the cause of a transport failure, and leaves the replies undefined', async () => {
  const batch = createBatch();
  const reply = batch.add(call('a'));
  expect(await batch.trySend(nodeWith(['a']).node)).toMatch(/larger than the limit/);
  expect(reply()).toEqual([undefined]);
});

test.each([
  ['no transport error', new RangeError('too large')],
  ['a transport error of another cause', new RpcTransportError('connection refused')],
])('%s is not answered with a second request', async (_, failure) => {
  let requests = 0;
  const node = testNode({
    chain: 'base',
    send: () => {
      requests += 1;
      return Promise.reject(failure);
    },
  });
  const { batch } = mixed();
  await expect(batch.send(node)).rejects.toBe(failure);
  expect([requests, batch.lost]).toEqual([1, undefined]);
});

test('a batch without optional calls is not sent again if it is too large', async () => {
  const { node, sent } = nodeWith(['a']);
  const batch = createBatch();
  batch.add(call('a'));
  await expect(batch.send(node)).rejects.toThrow('too large');
  expect(sent).toHaveLength(1);
});

test('another failure of the single optional call fails the request', async () => {
  const failure = new RpcTransportError('connection refused');
  let requests = 0;
  const node = testNode(
    {
      chain: 'base',
      async send(calls) {
        requests += 1;
        if (requests === 1) throw new RpcTransportError('too large', { tooLarge: true });
        if (calls.some(({ method }) => method === 'b')) throw failure;
        return calls.map(({ method }) => ({ result: method }));
      },
    },
    { provenBatch: 100 },
  );
  await expect(mixed().batch.send(node)).rejects.toBe(failure);
});

test('optional calls alone are sent without an empty request', async () => {
  const { node, sent } = nodeWith([], 1);
  const batch = createBatch();
  const [first, second] = [batch.addOptional(call('a')), batch.addOptional(call('b'))];
  await batch.send(node);
  expect(sent).toEqual([['a', 'b'], ['a']]);
  expect([first(), second()]).toEqual([{ result: 'a' }, undefined]);
});

test('an empty batch sends nothing', async () => {
  const { node, sent } = nodeWith([]);
  const batch = createBatch();
  await batch.send(node);
  expect(await batch.trySend(node)).toBeUndefined();
  expect(await batch.sendWithHeader(node, 'latest')).toBeUndefined();
  expect([sent, batch.size]).toEqual([[], 0]);
});

test('each function reads the replies of its own calls, also several', async () => {
  const batch = createBatch();
  const first = batch.add(call('a'));
  const others = batch.add(call('b'), call('c'));
  expect([batch.size, others()]).toEqual([3, [undefined, undefined]]);
  await batch.send(nodeWith([]).node);
  expect([first(), others()]).toEqual([[{ result: 'a' }], [{ result: 'b' }, { result: 'c' }]]);
});

test('trySend returns the replies and no cause; a failure that is not of the transport is thrown', async () => {
  const batch = createBatch();
  const reply = batch.add(call('a'));
  expect(await batch.trySend(nodeWith([]).node)).toBeUndefined();
  expect(reply()).toEqual([{ result: 'a' }]);
  const refused = testNode({ chain: 'base', send: () => Promise.reject(new RpcTransportError('refused')) });
  expect(await batch.trySend(refused)).toBe('the request failed');
  const wrong = testNode({ chain: 'base', send: () => Promise.reject(new RangeError('wrong')) });
  await expect(batch.trySend(wrong)).rejects.toThrow('wrong');
});

test('trySendPinned names the cause if the header of the pinned block cannot be read', async () => {
  const node = testNode({
    chain: 'base',
    send: async (calls) => calls.map(({ method }) => ({ result: method === 'eth_getBlockByNumber' ? 7 : method })),
  });
  node.block = { number: 7n, timestamp: 1n, hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` };
  const batch = createBatch();
  const reply = batch.add(call('a'));
  expect([await batch.trySendPinned(node), reply()]).toEqual(['the request failed', [undefined]]);
});

test('the header of the block comes in the same request', async () => {
  const header = { number: '0x7', timestamp: '0x1', hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` };
  const sent: unknown[] = [];
  const node = testNode({
    chain: 'base',
    async send(calls) {
      sent.push(calls.map(({ method, params }) => [method, params[0]]));
      return calls.map(({ method }) => ({ result: method === 'eth_getBlockByNumber' ? header : method }));
    },
  });
  const batch = createBatch();
  const reply = batch.addOptional(call('a'));
  expect((await batch.sendWithHeader(node, '0x7'))?.number).toBe(7n);
  expect([reply(), sent]).toEqual([
    { result: 'a' },
    [
      [
        ['eth_getBlockByNumber', '0x7'],
        ['a', undefined],
      ],
    ],
  ]);
});

test.each([
  ['send', Number.POSITIVE_INFINITY],
  ['trySendPinned', Number.POSITIVE_INFINITY],
  ['send', 3],
] as const)('%s rejects if the pinned block was replaced (at most %s calls in a request)', async (method, together) => {
  const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
  const block = { number: 7n, timestamp: 1n, hash: hash('1'), parentHash: hash('2') };
  let replacedAfter = 0;
  const node = testNode(
    {
      chain: 'base',
      async send(calls) {
        if (calls.length > together) throw new RpcTransportError('too large', { tooLarge: true });
        const found = {
          number: '0x7',
          timestamp: '0x1',
          hash: hash(replacedAfter > 0 ? '1' : '3'),
          parentHash: hash('2'),
        };
        replacedAfter -= 1;
        return calls.map((each) => ({ result: each.method === 'eth_getBlockByNumber' ? found : each.method }));
      },
    },
    { checked: true, provenBatch: 100 },
  );
  node.block = block;
  // The single optional call of a response that was too large is also compared.
  replacedAfter = together === 3 ? 1 : 0;
  const { batch, first } = mixed();
  await expect(batch[method](node)).rejects.toThrow(BlockReplacedError);
  expect(first()).toEqual([undefined]);
  replacedAfter = 9;
  await batch[method](node);
  expect(first()).toEqual([{ result: 'a' }]);
});

test.each([
  [{ result: 7 }, 7],
  [{ error: { code: 3, message: 'reverted' } }, undefined],
  [undefined, undefined],
])('the result of %j is %s', (reply, expected) => {
  expect(resultOf(reply)).toBe(expected);
});
