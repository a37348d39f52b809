import { expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import { readReceipt } from './readReceipt.ts';

const hash = `0x${'ab'.repeat(32)}` as const;
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const receipt = { status: '0x1', transactionHash: hash, blockNumber: '0x7', logs: [] };
const nodeReturning =
  (result: unknown): ChainCall =>
  async (_method, _params, shape) => {
    const parsed = shape.safeParse(result);
    if (!parsed.success) throw new ChainUnreachableError('invalid result');
    return parsed.data;
  };

test('default: returns the receipt of the transaction, or null while the node has none', async () => {
  expect(await readReceipt(nodeReturning(receipt), hash)).toEqual(receipt);
  expect(await readReceipt(nodeReturning(null), hash)).toBeNull();
});

test.each([
  ['zeros', `0x${'00'.repeat(640)}`],
  ['empty bytes', '0x'],
  ['a number', 7],
  ['a list', []],
  ['a receipt of another transaction', { ...receipt, transactionHash: `0x${'cd'.repeat(32)}` }],
  ['a receipt without status', { ...receipt, status: undefined }],
  ['a receipt without block, as of a pending transaction', { ...receipt, blockNumber: null }],
  ['logs of null', { ...receipt, logs: [null] }],
  ['a log with an invalid address', { ...receipt, logs: [{ address: hash, topics: [], data: '0x', logIndex: '0x0' }] }],
  ['a log with numeric topics', { ...receipt, logs: [{ address: usdc, topics: [7], data: '0x', logIndex: '0x0' }] }],
])('error: ChainUnreachableError when the node returns %s', async (_name, result) => {
  await expect(readReceipt(nodeReturning(result), hash)).rejects.toThrow(ChainUnreachableError);
});
