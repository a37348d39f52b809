import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { WrongChainError } from '../errors.ts';
import { BlockGoneError, type Node, NodeRefusedError, newNodeMemory } from './node.ts';
import { pinBlock, sendWithHeader } from './pinBlock.ts';
import type { RpcReply } from './rpcEndpoint.ts';

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

/** A node that answers each method with the next reply of its list. */
function nodeWith(replies: Record<string, RpcReply[]>, checked = true) {
  const methods: string[] = [];
  const node: Node = {
    chain: 'base',
    label: 'base-1',
    memory: { ...newNodeMemory(), checked },
    hashes: { proven: false },
    block: undefined,
    send: async (calls) =>
      calls.map(({ method }) => {
        methods.push(method);
        return replies[method]?.shift() ?? { result: null };
      }),
  };
  return { node, methods };
}

test('default: the header of the block comes with the calls, the chain id with the first of them', async () => {
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

test('behavior: a block that came in between costs one more header, of the block that the call saw', async () => {
  const { node, methods } = nodeWith({ eth_getBlockByNumber: [{ result: header(8n, 'c', 'b') }] });
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(8n, 'b'), 'latest');
  expect(node.block?.hash).toBe(hash('c'));
  expect(methods).toHaveLength(1);
});

test('behavior: where a call cannot tell its parent, number and time have to do', async () => {
  const { node } = nodeWith({});
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, undefined), 'latest');
  expect(node.block?.number).toBe(7n);
});

test.each([
  ['another parent', seen(7n, 'd')],
  ['another time', { ...seen(7n, 'a'), timestamp: 101n }],
])('error: NodeRefusedError when the call saw %s', async (_what, what) => {
  const { node } = nodeWith({});
  await expect(pinBlock(node, refOf(7n, 'b', 'a'), what, 'latest')).rejects.toThrow(NodeRefusedError);
  expect(node.block).toBeUndefined();
});

test('error: BlockGoneError when a later read is of another block of that number, or of none', async () => {
  const { node } = nodeWith({});
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, 'a'), 'latest');
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, 'a'), '0x7');
  await expect(pinBlock(node, refOf(7n, 'e', 'a'), seen(7n, 'a'), '0x7')).rejects.toThrow(BlockGoneError);
  await expect(sendWithHeader(node, '0x7', [])).rejects.toThrow(BlockGoneError);
});

test('error: NodeRefusedError when another block is shown than was asked for', async () => {
  const { node } = nodeWith({ eth_getBlockByNumber: [{ result: header(9n, 'b', 'a') }] });
  await expect(sendWithHeader(node, '0x7', [])).rejects.toThrow(NodeRefusedError);
});

test('error: WrongChainError when the first contact is with another chain', async () => {
  const { node } = nodeWith(
    { eth_chainId: [{ result: '0x1' }], eth_getBlockByNumber: [{ result: header(7n, 'b', 'a') }] },
    false,
  );
  await expect(sendWithHeader(node, 'latest', [])).rejects.toThrow(WrongChainError);
});
