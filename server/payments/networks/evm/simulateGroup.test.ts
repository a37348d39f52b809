import { numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain, type ScriptedResult, twoSeconds } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { encodeGroup, encodeGroupTrial, groupGasLimit } from './groupCall.ts';
import { planGroup, simulateGroup } from './simulateGroup.ts';

const account = pad('0x1', { size: 20 });
const asset = pad('0x2', { size: 20 });
const paymentOf = (index: number) => ({
  ...{ from: pad(numberToHex(index), { size: 20 }), to: account, value: 20_000n, validAfter: 0n, validBefore: 9n },
  ...{ nonce: pad(numberToHex(index)), signature: `0x${'ab'.repeat(65)}` as const },
});
const payments = [paymentOf(3), paymentOf(4)];
const feesAt = (timestamp: number) => ({
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  height: 1n,
  timestamp: BigInt(timestamp),
});
const now = () => Math.floor(Date.now() / 1000);
const resultOf = (success: number, gas: number) =>
  pad(`0x${[success, gas, 0, 0].map((value) => pad(numberToHex(value)).slice(2)).join('')}`, {
    size: 288,
    dir: 'right',
  }).slice(2);
const node = (results: Record<string, ScriptedResult>, chainId = 8453) => {
  const { chain, requests } = createScriptedChain(results);
  return { node: { chain, chainId, account, asset, interval: twoSeconds }, requests };
};

test('simulates the transfers of a group in one call of our account, with 150,000 gas each', async () => {
  const { node: own, requests } = node({ eth_call: `0x${resultOf(1, 60_000)}${resultOf(0, 30_000)}` });
  expect(await simulateGroup(own, payments, feesAt(now()))).toMatchObject([
    { success: true, gasUsed: 60_000n },
    { success: false, gasUsed: 30_000n },
  ]);
  const data = encodeGroupTrial(asset, payments, 150_000n);
  expect(requests).toEqual([{ method: 'eth_call', params: [{ from: account, data }, 'latest'], isVerified: true }]);
});

test('simulates at the pending block if the head is old', async () => {
  const { node: own, requests } = node({ eth_call: `0x${resultOf(1, 1)}${resultOf(1, 1)}` });
  await simulateGroup(own, payments, feesAt(now() - 600));
  expect(requests[0]?.params[1]).toBe('pending');
});

test('has no result if the node returns results of another number', async () => {
  expect(await simulateGroup(node({ eth_call: `0x${resultOf(1, 1)}` }).node, payments, feesAt(now()))).toBeUndefined();
  expect(await simulateGroup(node({ eth_call: '0x' }).node, payments, feesAt(now()))).toBeUndefined();
});

test('error: the node cannot be reached', async () => {
  const { node: own } = node({ eth_call: new ChainUnreachableError('down') });
  await expect(simulateGroup(own, payments, feesAt(now()))).rejects.toThrow('down');
});

test.each([[[60_000n, 70_000n]], [[70_000n, 60_000n]], [[9_000n, 70_000n]]])(
  'plans %s gas by the call that used the most, with a margin of 30,000',
  async (gasUsed) => {
    const { node: own, requests } = node({});
    const data = encodeGroup(asset, payments, 100_000n);
    expect(await planGroup(own, payments, gasUsed, feesAt(now()))).toEqual({
      data,
      gas: groupGasLimit(data, 2, 100_000n),
    });
    expect(requests).toEqual([]);
  },
);

test('adds the gas of L1 data on Arbitrum, with a margin of a quarter', async () => {
  const { node: own, requests } = node({ eth_estimateGas: numberToHex(421_000) }, 42161);
  const data = encodeGroup(asset, payments, 90_000n);
  expect(await planGroup(own, payments, [60_000n, 1n], feesAt(now()))).toEqual({
    data,
    gas: groupGasLimit(data, 2, 90_000n) + 500_000n,
  });
  const idle = { from: account, to: account, data };
  expect(requests).toEqual([{ method: 'eth_estimateGas', params: [idle, 'latest'], isVerified: true }]);
});
