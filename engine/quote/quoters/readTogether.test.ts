import { expect, test } from 'vitest';
import { header } from '../../../tests/support/engine/testLens.ts';
import { quoterNode, type Returned, words } from '../../../tests/support/engine/testQuoters.ts';
import { multicall3 } from '../../chain/multicall3.ts';
import { BlockGoneError, NodeRefusedError } from '../../chain/node.ts';
import { firstWord, readTogether } from './readTogether.ts';

const latest = { arbSys: false, block: 'latest' } as const;
const reads = ['0xaa', '0xbb'].map((data) => ({ to: multicall3, data: data as `0x${string}` }));
/** The result of one read that returns this. */
const resultOf = async (returned: Returned) => {
  const [first] = await readTogether(quoterNode({ answer: () => returned }).node, reads.slice(0, 1), latest);
  return first;
};

test('the results are those of the reads, in their order, at a block that the node is pinned to', async () => {
  const { node, calls } = quoterNode({ answer: ({ data }) => words(BigInt(data)) });
  expect(await readTogether(node, reads, latest)).toEqual([{ words: [0xaan] }, { words: [0xbbn] }]);
  expect(node.block).toMatchObject({ number: 16n, hash: header.hash });
  expect(calls).toMatchObject([{ method: 'eth_call', params: [{ to: multicall3, gas: '0x16e3600' }, 'latest'] }]);
});

test('a read at a number runs in that block', async () => {
  const { node, calls } = quoterNode({ answer: () => '0x' });
  await readTogether(node, [], { arbSys: false, block: '0x10' });
  expect(calls[0]?.params[1]).toBe('0x10');
});

test.each<[string, Returned, unknown]>([
  ['nothing', '0x', { words: [] }],
  ['a part of a word', `0x${'01'.repeat(31)}`, { words: [] }],
  ['two words and a part', `${words(1n, 2n)}ff`, { words: [1n, 2n] }],
  ['nine words', words(1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n), { words: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] }],
  ['an error', 'reverted', 'reverted'],
  ['a failure without data, as if gas was missing', 'unread', 'unread'],
])('a contract that returns %s gives its whole words, at most eight', async (_, returned, expected) => {
  expect(await resultOf(returned)).toEqual(expected);
});

test('the first word of a result is undefined without words', () => {
  expect(firstWord({ words: [5n, 6n] })).toBe(5n);
  for (const result of [{ words: [] }, 'reverted', 'unread', undefined] as const)
    expect(firstWord(result)).toBeUndefined();
});

test('a node that does not run Multicall3 is refused; at a number, the block may be gone', async () => {
  const reply = { error: { code: -32_000, message: 'no such block' } };
  const failure = (block: '0x10' | 'latest') =>
    readTogether(quoterNode({ reply }).node, reads, { arbSys: false, block }).catch((error: unknown) => error);
  const atLatest = await failure('latest');
  expect(atLatest).toBeInstanceOf(NodeRefusedError);
  expect(atLatest).not.toBeInstanceOf(BlockGoneError);
  expect(atLatest).toHaveProperty('message', 'base-1 did not run Multicall3: -32000 no such block');
  expect(await failure('0x10')).toBeInstanceOf(BlockGoneError);
});

const number = `${multicall3}0x42cbb15c`;
const timestamp = `${multicall3}0x0f28c97d`;
const parent = `${multicall3}0x27e86d6e`;
test.each<[string, Parameters<typeof quoterNode>[0], string]>([
  ['returns malformed data', { reply: { result: '0x1234' } }, 'returned malformed data for Multicall3'],
  ['leaves out a result', { dropped: 1 }, 'returned no block from Multicall3'],
  ['returns no number', { block: { [number]: 'unread' } }, 'returned no block from Multicall3'],
  ['returns no timestamp', { block: { [timestamp]: '0x' } }, 'returned no block from Multicall3'],
  ['ran in a block of another time', { block: { [timestamp]: words(0x11n) } }, 'header that does not match'],
  ['ran in a block with another parent', { block: { [parent]: words(1n) } }, 'header that does not match'],
])('a node that %s is refused', async (_, script, message) => {
  const failure = readTogether(quoterNode(script).node, reads, latest);
  await expect(failure).rejects.toBeInstanceOf(NodeRefusedError);
  await expect(failure).rejects.toThrow(message);
});

test.each<Returned>(['unread', words(0n)])(
  'a parent hash that the chain does not return (%s) is not compared',
  async (returned) => {
    const { node } = quoterNode({ block: { [parent]: returned } });
    await expect(readTogether(node, [], latest)).resolves.toEqual([]);
  },
);

test('a parent hash with leading zeros is compared in full', async () => {
  const parentHash = words(0xabn);
  const script = { block: { [parent]: parentHash }, headerFields: { parentHash } };
  await expect(readTogether(quoterNode(script).node, [], latest)).resolves.toEqual([]);
});

test('on Arbitrum, the number is that of ArbSys and the parent hash is not compared', async () => {
  const block = { [number]: words(0x99n), [parent]: words(1n) };
  const { node } = quoterNode({ chain: 'arbitrum', block });
  await expect(readTogether(node, [], { arbSys: true, block: 'latest' })).resolves.toEqual([]);
  expect(node.block?.number).toBe(16n);
});
