import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  getAddress,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
} from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError, multicall3 } from '../../chainCall.ts';
import { callTogether, multicallAbi, readEvmBalances, readEvmFunds, toWord } from './readEvmFunds.ts';

const asset = getAddress(pad('0xa5', { size: 20 }));
const payer = getAddress(pad('0x3', { size: 20 }));
const other = getAddress(pad('0x4', { size: 20 }));
const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address, bytes32) view returns (bool)',
]);
interface Result {
  success: boolean;
  returnData: Hex;
}
const word = (value: bigint | number): Result => ({ success: true, returnData: pad(numberToHex(value)) });
const failed: Result = { success: false, returnData: pad('0x1') };

/** A node whose Multicall3 returns a result for each call of the token. */
function open(resultOf: (call: { functionName: string; args: readonly unknown[] }) => Result) {
  const calls: unknown[] = [];
  const scripted = createScriptedChain({
    eth_call([request, tag]: readonly unknown[]) {
      const { to, data } = request as { to: Address; data: Hex };
      expect([to, tag]).toEqual([multicall3, 'latest']);
      const decoded = decodeFunctionData({ abi: multicallAbi, data });
      const result = (decoded.args?.[0] ?? []).map(({ target, allowFailure, callData }) => {
        expect([target, allowFailure]).toEqual([asset, true]);
        const { functionName, args } = decodeFunctionData({ abi: tokenAbi, data: callData });
        calls.push([functionName, ...args]);
        return resultOf({ functionName, args });
      });
      return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result });
    },
  });
  return { call: scripted.chain.callVerified, calls, requests: scripted.requests };
}

test('a word has 32 bytes of a call that succeeded', () => {
  expect(toWord(word(7))).toBe(7n);
  expect(toWord({ ...word(7), success: false })).toBeUndefined();
  expect(toWord({ success: true, returnData: '0x' })).toBeUndefined();
  expect(toWord({ success: true, returnData: `${word(7).returnData}00` })).toBeUndefined();
});

test('error: the node returns no result of Multicall3', async () => {
  for (const eth_call of ['0x', pad('0x1')]) {
    const { chain } = createScriptedChain({ eth_call });
    await expect(callTogether(chain.callVerified, [])).rejects.toThrow(ChainUnreachableError);
  }
});

test('reads the balances of several payers in one call', async () => {
  const { call, calls, requests } = open(({ args }) => word(args[0] === payer ? 5 : 6));
  expect(await readEvmBalances(call, asset, [payer, other])).toEqual(
    new Map([
      [payer, 5n],
      [other, 6n],
    ]),
  );
  expect(calls).toEqual([
    ['balanceOf', payer],
    ['balanceOf', other],
  ]);
  expect(requests).toHaveLength(1);
});

test('a balance of zero is known, and one that cannot be read is absent', async () => {
  const { call } = open(({ args }) => (args[0] === payer ? failed : word(0)));
  expect(await readEvmBalances(call, asset, [payer, other])).toEqual(new Map([[other, 0n]]));
});

const nonceOf = (index: number) => pad(numberToHex(0xab00 + index));
const openPayment = (index: number) => ({
  key: `eip155:8453|${asset}|${payer}|${nonceOf(index)}`.toLowerCase(),
  hashes: [],
});

test('reads the balance and which open payments have been used, in one call', async () => {
  const { call, calls, requests } = open(({ functionName, args }) => {
    if (functionName === 'balanceOf') return word(9);
    return args[1] === nonceOf(3) ? failed : word(args[1] === nonceOf(2) ? 1 : 0);
  });
  const payments = [1, 2, 3].map(openPayment);
  expect(await readEvmFunds(call, asset, payer, payments)).toEqual({ balance: 9n, ended: new Set([payments[1]?.key]) });
  expect(calls).toEqual([
    ['balanceOf', payer],
    ['authorizationState', payer, nonceOf(1)],
    ['authorizationState', payer, nonceOf(2)],
    ['authorizationState', payer, nonceOf(3)],
  ]);
  expect(requests).toHaveLength(1);
});

test('reads at most 200 open payments; the others count as not included', async () => {
  const { call, calls } = open(({ functionName }) => word(functionName === 'balanceOf' ? 9 : 1));
  const payments = Array.from({ length: 201 }, (_, index) => openPayment(index));
  const { ended } = await readEvmFunds(call, asset, payer, payments);
  expect(calls).toHaveLength(201);
  expect([...ended]).toEqual(payments.slice(0, 200).map(({ key }) => key));
});

test('error: the balance cannot be read', async () => {
  const { call } = open(({ functionName }) => (functionName === 'balanceOf' ? failed : word(0)));
  await expect(readEvmFunds(call, asset, payer, [openPayment(1)])).rejects.toThrow(ChainUnreachableError);
  await expect(readEvmFunds(call, asset, payer, [])).rejects.toThrow("The payer's balance could not be read.");
});
