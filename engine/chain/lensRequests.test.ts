import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import {
  answer,
  code,
  codeAt,
  failed,
  header,
  lensAddress,
  nodeWith,
  partsOf,
  request,
  trader,
  word,
} from '../../tests/support/engine/testLens.ts';
import { deployments } from '../venues/deployments/deployments.ts';
import {
  answerOf,
  createLensCaller,
  ensureBaseFee,
  LensRefusedError,
  type LensRequest,
  randomAddress,
  randomNumber,
  toLensCall,
  toPlacedCode,
} from './lensCall.ts';
import { NodeRefusedError } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

const read = (replies: readonly RpcReply[], some: Partial<LensRequest> = {}) => {
  const { node, sent } = nodeWith(replies);
  return { node, sent, result: createLensCaller().readLenses(node, [{ ...request, ...some }]) };
};

test('random numbers have as many bytes as requested, and no byte is used twice', () => {
  const numbers = Array.from({ length: 2_000 }, () => randomNumber(8));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.every((number) => number < 2n ** 64n)).toBe(true);
  expect(numbers.some((number) => number >= 2n ** 62n)).toBe(true);
  expect(new Set(Array.from({ length: 500 }, randomAddress)).size).toBe(500);
});

test('the length of placed code differs by up to 47 bytes', () => {
  const lengths = Array.from({ length: 600 }, () => (toPlacedCode({ runtime: '0x6001' }).length - 8) / 2);
  expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([16, 63]);
});

const paid = (call: RpcCall) => {
  const [sent, , override] = partsOf(call);
  return { gas: BigInt(sent.gas), maxFee: BigInt(sent.maxFeePerGas), balance: BigInt(override[trader]?.balance ?? 0) };
};

test('a lens without parts gets 24 M gas, and the trader can pay for twice of it at twenty times the base fee', () => {
  const { node } = nodeWith([]);
  node.memory.baseFee = 10n ** 9n;
  const { gas, maxFee, balance } = paid(toLensCall(node, request));
  expect(gas).toBe(24_000_000n);
  expect(maxFee).toBe(20n * 10n ** 9n + deployments.base.tipWei + 1_000_000n);
  expect(balance - 2n * gas * maxFee).toBeGreaterThanOrEqual(0n);
  expect(balance - 2n * gas * maxFee).toBeLessThan(2n ** 64n);
});

test('on Arbitrum the trader can pay for 200 M gas', () => {
  const { node } = nodeWith([], [header], 'arbitrum');
  node.memory.baseFee = 10n ** 7n;
  const { maxFee, balance } = paid(toLensCall(node, request));
  expect(balance / maxFee).toBeGreaterThanOrEqual(200_000_000n);
});

test('the call of a batch contains a proxy if the lenses are deployed', () => {
  const { node } = nodeWith([]);
  const stateOf = (state: 'deployed' | 'unread') => ({ isUsableAt: () => state === 'deployed', sawMissing: () => {} });
  const codeWith = (caller: ReturnType<typeof createLensCaller>) => codeAt(caller.toCall(node, request), lensAddress);
  expect(codeWith(createLensCaller(stateOf('deployed')))).toMatch(/^0x363d3d/);
  expect(codeWith(createLensCaller(stateOf('unread')))).toMatch(/^0x600100/);
  expect(codeWith(createLensCaller())).toMatch(/^0x600100/);
  const plain = { ...request, lens: { runtime: code } };
  expect(codeAt(createLensCaller(stateOf('deployed')).toCall(node, plain), lensAddress)).toMatch(/^0x600100/);
});

test('a call of a deployed contract places no code', () => {
  const { node } = nodeWith([]);
  const [sent, , override] = partsOf(toLensCall(node, { ...request, isDeployed: true }));
  expect([sent.to, Object.keys(override)]).toEqual([lensAddress, [trader]]);
});

test('the base fee is read once, without the price of data off Arbitrum', async () => {
  const { node, sent } = nodeWith([{ result: answer }]);
  await ensureBaseFee(node);
  expect([node.memory.baseFee, node.memory.l1PricePerUnit, sent]).toEqual([1n, undefined, []]);
  node.send = () => Promise.reject(new RangeError('Nothing is sent.'));
  await ensureBaseFee(node);
});

test('several lenses are called in one request, and their answers keep their order', async () => {
  const other = answer.replace(/7$/, '8') as Hex;
  const { node, sent } = nodeWith([{ result: answer }, { result: other }]);
  expect(await createLensCaller().readLenses(node, [request, request])).toEqual([answer, other]);
  expect(sent).toHaveLength(2);
});

test('one refused lens of two refuses the read', async () => {
  const { node } = nodeWith([{ result: answer }, failed('no overrides', -32_601)]);
  const error: unknown = await createLensCaller()
    .readLenses(node, [request, request])
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LensRefusedError);
  expect(String(error)).toContain('-32601 no overrides');
});

test('the call is sent again only once, although the base fee rises again', async () => {
  const low = failed('max fee per gas less than block base fee');
  const rising = [1, 2, 3].map((step) => ({ ...header, baseFeePerGas: `0x${'f'.repeat(8 + 2 * step)}` }));
  const { node, sent } = nodeWith([low], [header, ...rising]);
  await expect(createLensCaller().readLenses(node, [request])).rejects.toThrow(LensRefusedError);
  expect(sent).toHaveLength(2);
});

test('on Arbitrum a call that lacks gas is sent again only once', async () => {
  const price = { result: `0x${word(1_000_000)}` };
  const low = failed('intrinsic gas too low');
  const { node, sent } = nodeWith([price, low, price, low], [header], 'arbitrum');
  await expect(createLensCaller().readLenses(node, [request])).rejects.toThrow(LensRefusedError);
  expect(sent).toHaveLength(4);
});

test('on Arbitrum another refusal is not sent again', async () => {
  const price = { result: `0x${word(1_000_000)}` };
  for (const refusal of [failed('no overrides'), { result: '0x01' }]) {
    const { node, sent } = nodeWith([price, refusal], [header], 'arbitrum');
    await expect(createLensCaller().readLenses(node, [request])).rejects.toThrow(LensRefusedError);
    expect(sent).toHaveLength(2);
  }
});

test('a missing reply shows nothing about other lenses of the node', async () => {
  const { node } = nodeWith([{ result: answer }]);
  const { send } = node;
  node.send = async (calls) => (await send(calls)).slice(0, calls.length > 1 ? -1 : undefined);
  await expect(createLensCaller().readLenses(node, [request])).rejects.toThrow('no answer');
});

test('a refusal of a number does not end a read that never ran a lens as a lost block', async () => {
  await expect(read([failed('internal error')], { block: '0x10' }).result).rejects.toThrow(LensRefusedError);
});

test('an answer without a parent hash is compared by number and time', async () => {
  const { node, result } = read([{ result: answer.replace(word(header.parentHash as Hex), word(0)) as Hex }]);
  await result;
  expect(node.block?.number).toBe(16n);
  const wrongParent = answer.replace(word(header.parentHash as Hex), '33'.repeat(32)) as Hex;
  await expect(read([{ result: wrongParent }]).result).rejects.toThrow(NodeRefusedError);
  const wrongTime = answer.replace(`${word(0x10)}${word(0x10)}`, `${word(0x10)}${word(0x11)}`) as Hex;
  await expect(read([{ result: wrongTime }]).result).rejects.toThrow(NodeRefusedError);
});

test('an error, and hex after other text, are no answer of a lens', () => {
  expect(answerOf(failed('reverted'))).toBeUndefined();
  expect(answerOf({ result: ` ${answer}` })).toBeUndefined();
});

test('with deployed lenses, only an empty reply is sent again with the code', async () => {
  const deployed = { isUsableAt: () => true, sawMissing: () => {} };
  const good = nodeWith([{ result: answer }]);
  await createLensCaller(deployed).readLenses(good.node, [request]);
  expect(good.sent).toHaveLength(1);
  for (const reply of [failed('internal error'), { result: null }, { result: '0x00' }]) {
    const { node, sent } = nodeWith([reply]);
    await expect(createLensCaller(deployed).readLenses(node, [request])).rejects.toThrow(NodeRefusedError);
    expect(sent).toHaveLength(1);
  }
});
