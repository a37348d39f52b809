import { expect, test } from 'vitest';
import { RpcTransportError } from '../errors.ts';
import { createBatch } from './batch.ts';
import type { RpcCall } from './rpcEndpoint.ts';
import { testNode } from './testNode.ts';

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
