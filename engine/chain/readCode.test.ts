import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { NodeRefusedError } from './node.ts';
import { readCode } from './readCode.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

const token: Hex = `0x${'12'.repeat(20)}`;
const headerOf = (number: number) => ({
  number: `0x${number.toString(16)}`,
  timestamp: '0x10',
  hash: `0x${'11'.repeat(31)}${number.toString(16).padStart(2, '0')}`,
  parentHash: `0x${'22'.repeat(32)}`,
});
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** A node that returns these replies for `eth_getCode` in turn, and `decimals` for the call. Its head rises by one a request. */
function nodeWith(codes: readonly RpcReply[], decimals: RpcReply = { result: word(18n) }) {
  const sent: RpcCall[] = [];
  let head = 6;
  const replyTo = ({ method, params }: RpcCall): RpcReply => {
    if (method === 'eth_getBlockByNumber')
      return { result: headerOf(params[0] === 'latest' ? head : Number(params[0])) };
    if (method === 'eth_call') return decimals;
    return codes[sent.filter((call) => call.method === method).length - 1] ?? { result: '0x' };
  };
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      head += 1;
      return calls.map((call) => {
        sent.push(call);
        return replyTo(call);
      });
    },
  });
  return { node, sent };
}
const failed: RpcReply = { error: { code: -32_000, message: 'execution reverted' } };

test('code at the latest block needs one request, with the decimals at the same block', async () => {
  const { node, sent } = nodeWith([{ result: '0x6001' }]);
  expect(await readCode(node, token)).toEqual({ hasCode: true, decimals: 18, blockNumber: 7n });
  expect(node.block?.number).toBe(7n);
  const [, code, call] = sent;
  expect(code).toEqual({ method: 'eth_getCode', params: [token, 'latest'] });
  expect(call).toEqual({ method: 'eth_call', params: [{ to: token, data: '0x313ce567', gas: '0x30d40' }, 'latest'] });
  expect(sent).toHaveLength(3);
});

test('no code is read again at the number of the block that is reported', async () => {
  const { node, sent } = nodeWith([{ result: '0x' }, { result: '0x' }]);
  expect(await readCode(node, token)).toMatchObject({ hasCode: false, blockNumber: 7n });
  expect(sent.filter(({ method }) => method === 'eth_getCode').map(({ params }) => params[1])).toEqual([
    'latest',
    '0x7',
  ]);
  const { node: late } = nodeWith([{ result: '0x' }, { result: '0x6001' }]);
  expect(await readCode(late, token)).toMatchObject({ hasCode: true, blockNumber: 7n });
});

test.each([
  ['0', { result: word(0n) }, 0],
  ['255', { result: word(255n) }, 255],
  ['more than 255', { result: word(256n) }, undefined],
  ['a revert', failed, undefined],
  ['nothing', { result: '0x' }, undefined],
  ['less than a word', { result: word(18n).slice(0, -2) }, undefined],
  ['more than a word', { result: `${word(6n)}${'ff'.repeat(32)}` }, 6],
  ['no hex', { result: `0x${'zz'.repeat(32)}` }, undefined],
  ['null', { result: null }, undefined],
])('decimals: %s', async (_, reply, expected) => {
  const { node } = nodeWith([{ result: '0x6001' }], reply);
  expect((await readCode(node, token)).decimals).toBe(expected);
});

test.each([
  ['an error', failed],
  ['null', { result: null }],
  ['text', { result: 'none' }],
])('%s instead of code is refused, not taken for an account without code', async (_, reply) => {
  const { node } = nodeWith([reply]);
  await expect(readCode(node, token)).rejects.toThrow(NodeRefusedError);
  expect(node.block).toBeUndefined();
});
