import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { WrongChainError } from '../errors.ts';
import { BlockGoneError, type Node, NodeRefusedError } from './node.ts';
import { pinBlock, sendWithHeader } from './pinBlock.ts';
import type { RpcReply } from './rpcEndpoint.ts';
import { testNode } from './testNode.ts';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const header = (number: bigint, own: string, parent: string) => ({
  number: `0x${number.toString(16)}`,
  hash: hash(own),
  parentHash: hash(parent),
  timestamp: '0x64',
});
const refOf = (number: bigint, own: string, parent: string) => ({
  number,
  hash: hash(own),
  parentHash: hash(parent),
  timestamp: 100n,
});
const seen = (number: bigint, parent: string | undefined) => ({
  number,
  timestamp: 100n,
  parentHash: parent === undefined ? undefined : hash(parent),
});

/** A node that returns the next reply in the method's list. */
function nodeWith(replies: Record<string, RpcReply[]>, checked = true) {
  const methods: string[] = [];
  const send: Node['send'] = async (calls) =>
    calls.map(({ method }) => {
      methods.push(method);
      return replies[method]?.shift() ?? { result: null };
    });
  const node = testNode({ chain: 'base', send }, { checked });
  return { node, methods };
}

test('reads the header in the same request as the calls, and the chain id in the first request', async () => {
  const { node, methods } = nodeWith(
    {
      eth_chainId: [{ result: '0x2105' }],
      eth_getBlockByNumber: [{ result: header(7n, 'b', 'a') }, { result: header(8n, 'c', 'b') }],
    },
    false,
  );
  const { header: first } = await sendWithHeader(node, 'latest', [{ method: 'eth_call', params: [] }]);
  await pinBlock(node, first, seen(7n, 'a'), 'latest');
  expect(node.block).toEqual(refOf(7n, 'b', 'a'));
  await sendWithHeader(node, 'latest', []);
  expect(methods).toEqual(['eth_chainId', 'eth_getBlockByNumber', 'eth_call', 'eth_getBlockByNumber']);
});

test('reads the header of the call’s block when a new block arrived in between', async () => {
  const { node, methods } = nodeWith({ eth_getBlockByNumber: [{ result: header(8n, 'c', 'b') }] });
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(8n, 'b'), 'latest');
  expect(node.block?.hash).toBe(hash('c'));
  expect(methods).toHaveLength(1);
});

test('compares only number and timestamp when the call has no parent hash', async () => {
  const { node } = nodeWith({});
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, undefined), 'latest');
  expect(node.block?.number).toBe(7n);
});

test.each([
  ['another parent', seen(7n, 'd')],
  ['another time', { ...seen(7n, 'a'), timestamp: 101n }],
])('throws NodeRefusedError when the call saw %s', async (_what, what) => {
  const { node } = nodeWith({});
  await expect(pinBlock(node, refOf(7n, 'b', 'a'), what, 'latest')).rejects.toThrow(NodeRefusedError);
  expect(node.block).toBeUndefined();
});

test('throws BlockGoneError when the pinned block was replaced or is missing', async () => {
  const { node } = nodeWith({});
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, 'a'), 'latest');
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, 'a'), '0x7');
  await expect(pinBlock(node, refOf(7n, 'e', 'a'), seen(7n, 'a'), '0x7')).rejects.toThrow(BlockGoneError);
  await expect(sendWithHeader(node, '0x7', [])).rejects.toThrow(BlockGoneError);
});

test('throws BlockGoneError when the call of a pinned block ran in another one', async () => {
  const { node } = nodeWith({});
  await expect(pinBlock(node, refOf(7n, 'b', 'a'), seen(8n, 'b'), '0x7')).rejects.toThrow(BlockGoneError);
});

test('throws NodeRefusedError when the node returns another block than requested', async () => {
  const { node } = nodeWith({ eth_getBlockByNumber: [{ result: header(9n, 'b', 'a') }] });
  await expect(sendWithHeader(node, '0x7', [])).rejects.toThrow(NodeRefusedError);
});

test('throws WrongChainError when the first request returns another chain id', async () => {
  const { node } = nodeWith(
    { eth_chainId: [{ result: '0x1' }], eth_getBlockByNumber: [{ result: header(7n, 'b', 'a') }] },
    false,
  );
  await expect(sendWithHeader(node, 'latest', [])).rejects.toThrow(WrongChainError);
});
