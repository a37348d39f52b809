import { expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import { readReceipt } from './readReceipt.ts';

const hash = `0x${'ab'.repeat(32)}` as const;
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const receipt = { status: '0x1', transactionHash: hash, blockNumber: '0x7', logs: [] };
const nodeThat =
  (answer: unknown): ChainCall =>
  async (_method, _params, shape) => {
    const parsed = shape.safeParse(answer);
    if (!parsed.success) throw new ChainUnreachableError('no answer');
    return parsed.data;
  };

test('default: a receipt of the transaction, or none yet', async () => {
  expect(await readReceipt(nodeThat(receipt), hash)).toEqual(receipt);
  expect(await readReceipt(nodeThat(null), hash)).toBeNull();
});

test.each([
  ['zeros', `0x${'00'.repeat(640)}`],
  ['nothing', '0x'],
  ['a number', 7],
  ['a list', []],
  ['another transaction', { ...receipt, transactionHash: `0x${'cd'.repeat(32)}` }],
  ['no status', { ...receipt, status: undefined }],
  ['no block, as while it is pending', { ...receipt, blockNumber: null }],
  ['logs that are none', { ...receipt, logs: [null] }],
  ['a log of no address', { ...receipt, logs: [{ address: hash, topics: [], data: '0x', logIndex: '0x0' }] }],
  [
    'a log of topics that are numbers',
    { ...receipt, logs: [{ address: usdc, topics: [7], data: '0x', logIndex: '0x0' }] },
  ],
])('error: ChainUnreachableError: %s is no failed transfer', async (_name, answer) => {
  await expect(readReceipt(nodeThat(answer), hash)).rejects.toThrow(ChainUnreachableError);
});
