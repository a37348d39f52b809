import type { Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { WrongChainError } from '../errors.ts';
import { BlockGoneError, BlockReplacedError, type Node, NodeRefusedError } from './node.ts';
import { pinBlock, sendPinned, sendWithHeader } from './pinBlock.ts';
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

test('throws BlockReplacedError when a later request returns another block with the pinned number', async () => {
  const other = { result: header(7n, 'e', 'a') };
  const { node, methods } = nodeWith({ eth_getBlockByNumber: [other, other, { result: header(7n, 'b', 'a') }] });
  node.block = refOf(7n, 'b', 'a');
  const call = { method: 'eth_call', params: [] };
  await expect(sendWithHeader(node, '0x7', [call])).rejects.toThrow(BlockReplacedError);
  await expect(sendPinned(node, [call])).rejects.toThrow(BlockReplacedError);
  expect(await sendPinned(node, [call])).toEqual([{ result: null }]);
  expect(methods).toEqual(Array.from({ length: 3 }, () => ['eth_call', 'eth_getBlockByNumber']).flat());
});

test('a search at the latest block does not fail after a reorganisation', async () => {
  const { node } = nodeWith({ eth_getBlockByNumber: [{ result: header(7n, 'e', 'a') }] });
  node.block = refOf(7n, 'b', 'a');
  expect((await sendWithHeader(node, 'latest', [])).header.hash).toBe(hash('e'));
});

test('sends no header without a pinned block, and nothing without calls', async () => {
  const { node, methods } = nodeWith({});
  await sendPinned(node, [{ method: 'eth_call', params: [] }]);
  node.block = refOf(7n, 'b', 'a');
  expect(await sendPinned(node, [])).toEqual([]);
  expect(methods).toEqual(['eth_call']);
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

test('requests the header by number, without its transactions', async () => {
  const sent: unknown[] = [];
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      sent.push(...calls);
      return calls.map(() => ({ result: header(7n, 'b', 'a') }));
    },
  });
  await sendWithHeader(node, '0x7', []);
  expect(sent).toEqual([{ method: 'eth_getBlockByNumber', params: ['0x7', false] }]);
});

test.each<[string, RpcReply[], typeof NodeRefusedError | typeof WrongChainError | undefined]>([
  ['an error', [{ error: { code: -32_000, message: 'unavailable' } }], NodeRefusedError],
  ['null', [{ result: null }], NodeRefusedError],
  ['an object', [{ result: { toString: 1 } }], NodeRefusedError],
  ['a number', [{ result: 8453 }], undefined],
  ['text', [{ result: 'base' }], WrongChainError],
])('a chain id that is %s', async (_, ids, expected) => {
  const { node } = nodeWith({ eth_chainId: [...ids], eth_getBlockByNumber: [{ result: header(7n, 'b', 'a') }] }, false);
  const work = sendWithHeader(node, 'latest', []);
  if (expected) await expect(work).rejects.toThrow(expected);
  else await work;
  expect(node.memory.checked).toBe(expected === undefined);
});

describe('a missing header', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const errorOf = async (block: Hex | 'latest') => {
    const error = sendWithHeader(nodeWith({}).node, block, []).catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(3_000);
    return error;
  };

  test('of the latest block is a refusal; one of a number shows that the block is gone', async () => {
    expect(await errorOf('latest')).not.toBeInstanceOf(BlockGoneError);
    expect(await errorOf('latest')).toBeInstanceOf(NodeRefusedError);
    expect(await errorOf('0x7')).toBeInstanceOf(BlockGoneError);
  });
});

test.each([
  ['0x3b9aca00', 1_000_000_000n],
  [undefined, 0n],
  ['0x1ffffffffffffffff', 0n],
  [7, 0n],
  [['0x7'], 0n],
  [' 0x7', 0n],
])('the base fee of a header with %j is %i', async (baseFeePerGas, expected) => {
  const { node } = nodeWith({ eth_getBlockByNumber: [{ result: { ...header(7n, 'b', 'a'), baseFeePerGas } }] });
  await sendWithHeader(node, 'latest', []);
  expect(node.memory.baseFee).toBe(expected);
});

test('a batch without replies is a refusal', async () => {
  const node = testNode({ chain: 'base', send: async () => [] }, {});
  await expect(sendWithHeader(node, 'latest', [])).rejects.toThrow(NodeRefusedError);
});

test('replies belong to their calls, also with the chain id in front', async () => {
  for (const checked of [false, true]) {
    const { node } = nodeWith(
      {
        eth_chainId: [{ result: '0x2105' }],
        eth_getBlockByNumber: [{ result: header(7n, 'b', 'a') }],
        eth_call: [{ result: '0x01' }, { result: '0x02' }],
      },
      checked,
    );
    const call = { method: 'eth_call', params: [] };
    const { header: read, replies } = await sendWithHeader(node, 'latest', [call, call]);
    expect([read.number, replies]).toEqual([7n, [{ result: '0x01' }, { result: '0x02' }]]);
  }
});

test('a header of another number than that of the call is refused after it was read again', async () => {
  const { node } = nodeWith({ eth_getBlockByNumber: [{ result: header(9n, 'c', 'b') }] });
  await expect(pinBlock(node, refOf(7n, 'b', 'a'), seen(8n, 'b'), 'latest')).rejects.toThrow(NodeRefusedError);
});

test('hashes are compared in any letter case', async () => {
  const { node } = nodeWith({});
  await pinBlock(node, refOf(7n, 'b', 'a'), seen(7n, 'a'), 'latest');
  await pinBlock(node, refOf(7n, 'B', 'A'), seen(7n, 'a'), 'latest');
});

/** Ethereum's first block: its hash follows from its fields. */
const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`;
const genesis = {
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: zeros(32),
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  ...{ miner: zeros(20), stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544' },
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  ...{ logsBloom: zeros(256), difficulty: '0x400000000', number: '0x0', gasLimit: '0x1388', gasUsed: '0x0' },
  ...{ timestamp: '0x0', mixHash: zeros(32), nonce: '0x0000000000000042' },
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
};

test('a header with a wrong hash is refused once a computed hash of the chain matched, not before', async () => {
  const wrong = { result: { ...genesis, hash: hash('e') } };
  const unknown = { result: { ...genesis, hash: hash('e'), nextFork: '0x1' } };
  const { node } = nodeWith({ eth_getBlockByNumber: [wrong, { result: genesis }, wrong, unknown] });
  const read = () => sendWithHeader(node, 'latest', []);
  expect((await read()).header.hash).toBe(hash('e'));
  expect(node.hashes.proven).toBe(false);
  await read();
  expect(node.hashes.proven).toBe(true);
  await expect(read()).rejects.toThrow('does not match its fields');
  expect((await read()).header.hash).toBe(hash('e'));
});
