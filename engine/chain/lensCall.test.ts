import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import {
  answer,
  code,
  codeAt,
  deployedAt,
  failed,
  header,
  lensAddress,
  nodeWith,
  partsOf,
  request,
  trader,
  word,
} from '../../tests/support/engine/testLens.ts';
import { testNode } from '../../tests/support/engine/testNode.ts';
import {
  answerOf,
  createLensCaller,
  ensureBaseFee,
  LensRefusedError,
  type LensRequest,
  toLensCall,
} from './lensCall.ts';
import { BlockGoneError, LensOverrunError, NodeRefusedError } from './node.ts';
import type { RpcReply } from './rpcEndpoint.ts';

/** Calls the lens at a node that replies to `eth_call` like this. */
async function callLens(reply: RpcReply) {
  const node = testNode({
    chain: 'base',
    send: async (calls) => calls.map(({ method }) => (method === 'eth_getBlockByNumber' ? { result: header } : reply)),
  });
  const error: unknown = await createLensCaller()
    .test(node, { lens: { runtime: '0x' }, data: '0x' })
    .catch((thrown: unknown) => thrown);
  return error;
}

test('null for a lens call does not show that the node refuses state overrides', async () => {
  const error = await callLens({ result: null });
  expect(error).toBeInstanceOf(NodeRefusedError);
  expect(error).not.toBeInstanceOf(LensRefusedError);
});

test.each([
  ['an error', { error: { code: -32_602, message: 'too many arguments, want at most 2' } }],
  ['an empty result', { result: '0x' }],
])('%s shows that the node does not run the lens', async (_, reply) => {
  expect(await callLens(reply)).toBeInstanceOf(LensRefusedError);
});

const read = (replies: readonly RpcReply[], some: Partial<LensRequest> = {}, deployment?: 'deployed' | 'missing') => {
  const { node, sent } = nodeWith(replies);
  const caller = createLensCaller(deployment && { isUsableAt: () => deployment === 'deployed', sawMissing: () => {} });
  const result = caller.readLenses(node, [{ ...request, ...some }]);
  return { node, sent, result, caller };
};

test('an answer is returned, and pins the block and the mode of the node', async () => {
  const { node, result } = read([{ result: answer }]);
  expect(await result).toEqual([answer]);
  expect(node.block).toMatchObject({ number: 16n, hash: header.hash });
  expect(node.memory.readMode).toBe('override');
});

test('an answer of another block than the header is refused', async () => {
  const other = answer.replace(word(0x10), word(0x11)) as Hex;
  await expect(read([{ result: other }]).result).rejects.toThrow(NodeRefusedError);
});

test.each([
  ['nine words', `0x${'00'.repeat(9 * 32)}`, false],
  ['ten words', answer, true],
  ['no hex', `${answer.slice(0, -1)}g`, false],
  ['a packed answer', `0x0103${'00'.repeat(9)}`, true],
  ['a number', 7, false],
])('%s: an answer of a lens %s', (_, result, isAnswer) => {
  expect(answerOf({ result }) !== undefined).toBe(isAnswer);
});

test('the code is placed at the random address with unreachable bytes, and the trader can pay for the gas', () => {
  const { node } = nodeWith([]);
  node.memory.baseFee = 1_000n;
  const call = toLensCall(node, request);
  const [sent, block, override] = partsOf(call);
  expect(sent).toMatchObject({ from: trader, to: lensAddress, data: request.data });
  expect(block).toBe('latest');
  expect(override[lensAddress]?.code).toMatch(/^0x600100[0-9a-f]{32,126}$/);
  expect(BigInt(sent.maxFeePerGas)).toBeGreaterThan(10n * 1_000n);
  expect(BigInt(sent.maxPriorityFeePerGas)).toBeLessThan(BigInt(sent.maxFeePerGas));
  const balance = BigInt(override[trader]?.balance ?? '0x0');
  expect(balance).toBeGreaterThanOrEqual(BigInt(sent.gas) * BigInt(sent.maxFeePerGas));
  const again = partsOf(toLensCall(node, request))[2];
  expect(again[trader]?.balance).not.toBe(override[trader]?.balance);
  expect(again[lensAddress]?.code).not.toBe(override[lensAddress]?.code);
});

test('overrides of the request stay, also those of the trader', () => {
  const { node } = nodeWith([]);
  const slots = { [word(1)]: word(2) } as Record<Hex, Hex>;
  const accounts = { [deployedAt]: { code }, [trader]: { stateDiff: slots } };
  const funder = { address: deployedAt, wrap: (query: Hex): Hex => `${query}ff` };
  const [sent, , override] = partsOf(toLensCall(node, { ...request, accounts, funder }));
  expect(override[deployedAt]?.code).toBe(code);
  expect(override[trader]).toMatchObject({ stateDiff: slots, balance: expect.stringMatching(/^0x/) });
  expect(sent).toMatchObject({ to: deployedAt, data: '0x12345678ff' });
});

test('the parts of a lens have addresses of their own, the last one first in the call', () => {
  const { node } = nodeWith([]);
  const lens = { runtime: code, parts: [{ runtime: '0x6002' as Hex }, { runtime: '0x6003' as Hex }] };
  const [sent, , override] = partsOf(toLensCall(node, { ...request, lens }));
  const placed = (runtime: string) =>
    Object.entries(override)
      .find(([, { code: own }]) => own?.startsWith(`${runtime}00`))?.[0]
      .slice(2);
  expect(sent.data).toBe(`0x12345678${placed('0x6003')}${placed('0x6002')}`);
  expect(BigInt(sent.gas)).toBe(24_770_000n);
});

test('where the lenses are deployed, the code is a proxy to them', async () => {
  const { sent, result } = read([{ result: answer }], {}, 'deployed');
  await result;
  expect(codeAt(sent[0], lensAddress)).toMatch(/^0x363d3d373d3d3d363d73(d1){20}5af43d82803e903d91602b57fd5bf300/);
  const missing = read([{ result: answer }], {}, 'missing');
  await missing.result;
  expect(codeAt(missing.sent[0], lensAddress)).toMatch(/^0x600100/);
});

test('the call is sent again once if the base fee rose beyond its maximum', async () => {
  const risen = { ...header, baseFeePerGas: '0xffffffffff' };
  const { node, sent } = nodeWith(
    [failed('max fee per gas less than block base fee'), { result: answer }],
    [header, risen],
  );
  await createLensCaller().readLenses(node, [request]);
  expect(sent).toHaveLength(2);
  const lowAgain = nodeWith([failed('max fee per gas less than block base fee')]);
  await expect(createLensCaller().readLenses(lowAgain.node, [request])).rejects.toThrow(LensRefusedError);
  expect(lowAgain.sent).toHaveLength(1);
});

test('on Arbitrum the price of data is read first, and again once if the gas was too low', async () => {
  const price = { result: `0x${word(1_000_000)}` };
  const { node, sent } = nodeWith(
    [price, failed('intrinsic gas too low'), price, { result: answer }],
    [header],
    'arbitrum',
  );
  await createLensCaller().readLenses(node, [request]);
  expect(sent).toHaveLength(4);
  expect(node.memory.l1PricePerUnit).toBe(1_000_000n);
  await ensureBaseFee(node);
  expect(sent).toHaveLength(4);
  const base = nodeWith([failed('intrinsic gas too low')]);
  await expect(createLensCaller().readLenses(base.node, [request])).rejects.toThrow(LensRefusedError);
  expect(base.sent).toHaveLength(1);
});

test.each([
  ['a missing block', failed('header not found'), BlockGoneError],
  ['pruned state', failed('missing trie node 0xabc'), BlockGoneError],
  ['a limit by code', failed('slow down', -32_005), NodeRefusedError],
  ['a limit by HTTP code', failed('slow down', 429), NodeRefusedError],
  ['a limit by its message', failed('daily request quota reached'), NodeRefusedError],
])('%s does not show that the node refuses the lens', async (_, reply, expected) => {
  const error: unknown = await read([reply]).result.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(expected);
  expect(error).not.toBeInstanceOf(LensRefusedError);
});

test('a node that ran lenses before overran its gas, or lost a numbered block', async () => {
  const run = async (reply: RpcReply, block: Hex | 'latest') => {
    const { node } = nodeWith([reply]);
    node.memory.readMode = 'override';
    return createLensCaller().readLenses(node, [{ ...request, block }]);
  };
  await expect(run(failed('out of gas'), 'latest')).rejects.toThrow(LensOverrunError);
  await expect(run(failed('internal error'), '0x10')).rejects.toThrow(BlockGoneError);
  await expect(run(failed('internal error'), 'latest')).rejects.toThrow(LensRefusedError);
  await expect(read([failed('out of gas')]).result).rejects.toThrow(LensRefusedError);
});
